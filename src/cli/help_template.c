#include "cli/help_template.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/share.h"

enum { MOST_TEMPLATES = 128, MOST_NAME = KL_HELP_TEMPLATE_NAME, MOST_KINDS = 16 };

/* A template in the text of its file: lines from its name to the next one. */
typedef struct entry {
    const char *file; /* "vehicles/suspension.yaml" */
    const char *begin, *end;
    int         length; /* of the name */
} entry;

static const char *next_line(const char *p, const char *end)
{
    const char *n = memchr(p, '\n', (size_t)(end - p));
    return n ? n + 1 : end;
}

static int indent_of(const char *p, const char *end)
{
    int n = 0;
    while (p + n < end && p[n] == ' ') n++;
    return n;
}

/* Templates stand two blanks in, below the line `templates:`. */
static int find_in(const kl_share *f, entry *out, int n, int most)
{
    const char *p = f->text, *end = f->text + f->size;
    bool        in = false;
    for (; p < end; p = next_line(p, end)) {
        if (!isspace((unsigned char)*p) && *p != '#') in = strncmp(p, "templates:", 10) == 0;
        if (!in || indent_of(p, end) != 2 || !isalpha((unsigned char)p[2])) continue;
        entry e = {.file = f->name, .begin = p + 2, .length = (int)strcspn(p + 2, ":")};
        for (e.end = next_line(p, end); e.end < end; e.end = next_line(e.end, end))
            if (*e.end != '\n' && indent_of(e.end, end) < 4) break;
        if (n < most) out[n++] = e;
    }
    return n;
}

static int find_all(entry *out, int most)
{
    int n = 0;
    for (const kl_share *f = kl_share_files; f->name; f++)
        if (strncmp(f->name, "vehicles/", 9) == 0) n = find_in(f, out, n, most);
    return n;
}

/* The text behind `#` of a line, without the name; "" if there is none. */
static const char *comment_of(const char *p, int *length)
{
    int         line = (int)strcspn(p, "\n");
    const char *hash = memchr(p, '#', (size_t)line);
    if (!hash) {
        *length = 0;
        return "";
    }
    hash += 1 + strspn(hash + 1, " ");
    *length = line - (int)(hash - p);
    return hash;
}

/* Words in lines of at most 79 characters, each indented. */
static void write_words(kl_text *t, const char *p, int length, int indent)
{
    int column = 0;
    for (const char *end = p + length; p < end; p += strspn(p, " ")) {
        int word = (int)strcspn(p, " \n");
        if (word > end - p) word = (int)(end - p);
        if (column > 0 && column + 1 + word > 79) kl_text_add(t, "\n"), column = 0;
        if (column > 0) kl_text_add(t, " %.*s", word, p), column += 1 + word;
        else kl_text_add(t, "%*s%.*s", indent, "", word, p), column = indent + word;
        p += word;
    }
    kl_text_add(t, "\n");
}

/* name: value   # comment */
static void write_parameter(kl_text *t, const char *p)
{
    int         line = (int)strcspn(p, "\n"), length, name = (int)strcspn(p, ":");
    const char *comment = comment_of(p, &length);
    const char *value   = p + name + 1 + strspn(p + name + 1, " ");
    int         size    = (length > 0 ? (int)(comment - p) : line) - (int)(value - p);
    const char *hash    = memchr(value, '#', (size_t)(line - (int)(value - p)));
    if (hash) size = (int)(hash - value);
    while (size > 0 && value[size - 1] == ' ') size--;
    if (size <= 59) {
        kl_text_add(t, "  %-17.*s %.*s\n", name, p, size, value);
    } else {
        kl_text_add(t, "  %.*s\n", name, p);
        write_words(t, value, size, 20);
    }
    if (length > 0) write_words(t, comment, length, 20);
}

/* {name: value, name: value} in one line */
static void write_flow(kl_text *t, const char *p)
{
    int depth = 0;
    for (const char *from = ++p; *p && *p != '\n'; p++) {
        depth += (*p == '(' || *p == '[' || *p == '{') - (*p == ')' || *p == ']' || *p == '}');
        if ((*p != ',' || depth > 0) && depth >= 0) continue;
        int         name  = (int)strcspn(from, ":");
        const char *value = from + name + 1 + strspn(from + name + 1, " ");
        kl_text_add(t, "  %-17.*s %.*s\n", name, from, (int)(p - value), value);
        from = p + 1 + strspn(p + 1, " ");
        if (depth < 0) break;
    }
}

static void write_parameters(kl_text *t, const entry *e)
{
    for (const char *p = e->begin; p < e->end; p = next_line(p, e->end)) {
        if (strncmp(p, "    parameters:", 15) != 0) continue;
        const char *value = p + 15 + strspn(p + 15, " ");
        kl_text_add(t, "\nParameters with their default values\n");
        if (*value == '{') write_flow(t, value);
        else
            for (p = next_line(p, e->end); p < e->end && indent_of(p, e->end) == 6;
                 p = next_line(p, e->end))
                write_parameter(t, p + 6);
        return;
    }
}

/* Types of the elements and templates inside, each once. */
static void write_kinds(kl_text *t, const entry *e, const char *key, const char *title)
{
    char kind[MOST_KINDS][MOST_NAME];
    int  n = 0;
    for (const char *p = e->begin; (p = strstr(p, key)) && p < e->end; p++) {
        char name[MOST_NAME];
        p += strlen(key);
        int length = (int)strcspn(p, ",} \n"), k = 0;
        if (length >= MOST_NAME) continue;
        memcpy(name, p, (size_t)length);
        name[length] = '\0';
        while (k < n && strcmp(kind[k], name) != 0) k++;
        if (k == n && n < MOST_KINDS) memcpy(kind[n++], name, sizeof name);
    }
    char line[MOST_KINDS * (MOST_NAME + 2) + MOST_NAME];
    int  used = snprintf(line, sizeof line, "%s", title);
    for (int k = 0; k < n; k++)
        used += snprintf(line + used, sizeof line - (size_t)used, "%s%s", k ? ", " : "", kind[k]);
    if (n > 0) write_words(t, line, used, 2);
}

static void write(kl_text *t, const entry *e)
{
    int         length;
    const char *head = comment_of(e->begin, &length);
    kl_text_add(t, "%.*s (template)\n", e->length, e->begin);
    write_words(t, head, length, 2);
    for (const char *p = next_line(e->begin, e->end); p < e->end && strncmp(p, "    #", 5) == 0;
         p             = next_line(p, e->end)) {
        head = comment_of(p, &length);
        write_words(t, head, length, 2);
    }
    write_parameters(t, e);
    kl_text_add(t, "\nElements\n");
    write_kinds(t, e, "type: ", "");
    write_kinds(t, e, "template: ", "templates ");
    kl_text_add(t,
                "\nExample\n  include: [klingel:%s]\n  parts: {mine: {template: %.*s}}\n"
                "  `at` of the part places it; `parameters: {...}` changes values.\n",
                e->file, e->length, e->begin);
}

bool kl_help_template(kl_text *t, const char *name)
{
    entry all[MOST_TEMPLATES];
    int   n = find_all(all, MOST_TEMPLATES);
    for (int i = 0; i < n; i++)
        if ((int)strlen(name) == all[i].length &&
            strncmp(name, all[i].begin, (size_t)all[i].length) == 0) {
            write(t, &all[i]);
            return true;
        }
    return false;
}

void kl_help_template_list(kl_text *t)
{
    entry all[MOST_TEMPLATES];
    int   n = find_all(all, MOST_TEMPLATES);
    kl_text_add(t, "\nTemplates of rail vehicles and their parts\n");
    for (int i = 0; i < n; i++) {
        int         length;
        const char *head = comment_of(all[i].begin, &length);
        if (length > 54) { /* to the last part of the sentence that fits, or the last word */
            int word = 0, part = 0;
            for (int k = 0; k <= 54; k++) {
                if (head[k] == ' ') word = k;
                if (strchr(",;:", head[k])) part = k;
            }
            length = part > 25 ? part : word;
        }
        while (length > 0 && strchr(" ,;:", head[length - 1])) length--;
        kl_text_add(t, "  %-23.*s %.*s\n", all[i].length, all[i].begin, length, head);
    }
}

const char *kl_help_template_nearest(const char *name, char near[KL_HELP_TEMPLATE_NAME])
{
    char        text[MOST_TEMPLATES][MOST_NAME];
    const char *names[MOST_TEMPLATES + 1] = {0};
    entry       all[MOST_TEMPLATES];
    int         n = find_all(all, MOST_TEMPLATES), k = 0;
    for (int i = 0; i < n; i++) {
        if (all[i].length >= MOST_NAME) continue;
        memcpy(text[k], all[i].begin, (size_t)all[i].length);
        text[k][all[i].length] = '\0';
        names[k]               = text[k];
        k++;
    }
    const char *found = kl_nearest(name, names);
    return found ? memcpy(near, found, strlen(found) + 1) : NULL;
}

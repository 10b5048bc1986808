#include "terminal/live_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_GUESTS = 16, MOST_REQUEST = 8192, TOKEN = 32 };

/* One connection. */
typedef struct client {
    int     fd; /* -1: a free place */
    char    request[MOST_REQUEST];
    int     n;
    bool    events;  /* listens to the stream */
    size_t  sent;    /* of the past */
    kl_text answer;  /* of everything else */
    size_t  out;     /* of the answer */
    bool    closing; /* when the answer is out */
} client;

struct kl_server {
    int         fd, port;
    char        token[TOKEN + 1], address[128];
    const char *page;
    size_t      page_size;
    kl_text     past; /* all events */
    client      clients[MOST_GUESTS];
    bool        stop, seen;
};

static bool make_token(char *token)
{
    unsigned char bytes[TOKEN / 2];
    FILE         *f    = fopen("/dev/urandom", "rb");
    bool          good = f && fread(bytes, 1, sizeof bytes, f) == sizeof bytes;
    if (f) fclose(f);
    for (size_t i = 0; good && i < sizeof bytes; i++) sprintf(token + 2 * i, "%02x", bytes[i]);
    return good;
}

static void leave_open_calls(int fd)
{
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL, 0) | O_NONBLOCK);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
}

static bool start_listening(kl_server *s, int port)
{
    struct sockaddr_in at   = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    socklen_t          size = sizeof at;
    int                yes  = 1;
    at.sin_addr.s_addr      = htonl(INADDR_LOOPBACK); /* this machine only */
    s->fd                   = socket(AF_INET, SOCK_STREAM, 0);
    if (s->fd < 0) return false;
    setsockopt(s->fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(s->fd, (struct sockaddr *)&at, sizeof at) != 0 || listen(s->fd, 8) != 0) return false;
    if (getsockname(s->fd, (struct sockaddr *)&at, &size) != 0) return false;
    s->port = ntohs(at.sin_port);
    leave_open_calls(s->fd);
    return true;
}

kl_server *kl_server_create(int port, const char *page, size_t page_size)
{
    kl_server *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->fd        = -1;
    s->page      = page;
    s->page_size = page_size;
    for (int i = 0; i < MOST_GUESTS; i++) s->clients[i].fd = -1;
    if (port > 65535) errno = EINVAL;
    if (port > 65535 || !make_token(s->token) || !start_listening(s, port)) {
        fprintf(stderr, "klingel view: cannot listen on 127.0.0.1, port %d: %s\n", port,
                strerror(errno));
        kl_server_destroy(s);
        return NULL;
    }
    signal(SIGPIPE, SIG_IGN);
    snprintf(s->address, sizeof s->address, "http://127.0.0.1:%d/?token=%s", s->port, s->token);
    return s;
}

static void close_client(client *g)
{
    if (g->fd >= 0) close(g->fd);
    kl_text_free(&g->answer);
    *g = (client){.fd = -1};
}

void kl_server_destroy(kl_server *s)
{
    if (!s) return;
    for (int i = 0; i < MOST_GUESTS; i++) close_client(&s->clients[i]);
    if (s->fd >= 0) close(s->fd);
    kl_text_free(&s->past);
    free(s);
}

const char *kl_server_address(const kl_server *s) { return s->address; }
bool        kl_server_stop_wanted(const kl_server *s) { return s->stop; }
bool        kl_server_had_listener(const kl_server *s) { return s->seen; }

int kl_server_listeners(const kl_server *s)
{
    int n = 0;
    for (int i = 0; i < MOST_GUESTS; i++) n += s->clients[i].fd >= 0 && s->clients[i].events;
    return n;
}

void kl_server_send(kl_server *s, const char *json) { kl_text_add(&s->past, "data: %s\n\n", json); }

/* ---- answers ---- */

static void send_response(client *g, const char *status, const char *type, const char *body,
                          size_t n)
{
    kl_text_add(&g->answer,
                "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nCache-Control: "
                "no-store\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: "
                "nosniff\r\nConnection: close\r\n\r\n",
                status, type, n);
    kl_text_put(&g->answer, body, n);
    g->closing = true;
}

static void refuse(client *g, const char *status, const char *why)
{
    send_response(g, status, "text/plain; charset=utf-8", why, strlen(why));
}

/* Compares all of it, whatever the first difference. */
static bool same_token(const char *a, const char *b)
{
    unsigned char different = 0;
    for (int i = 0; i < TOKEN; i++) {
        if (!a[i]) return false;
        different |= (unsigned char)(a[i] ^ b[i]);
    }
    return different == 0;
}

/* A page of another site could reach this server under another host name (DNS rebinding): only requests
 * with our own host name are answered. */
static bool is_own_host(const kl_server *s, const char *request)
{
    char        ip[40], name[40];
    const char *host = strstr(request, "\r\nHost:");
    if (!host) host = strstr(request, "\r\nhost:");
    if (!host) return false;
    host += 7;
    while (*host == ' ') host++;
    snprintf(ip, sizeof ip, "127.0.0.1:%d\r\n", s->port);
    snprintf(name, sizeof name, "localhost:%d\r\n", s->port);
    return strncmp(host, ip, strlen(ip)) == 0 || strncmp(host, name, strlen(name)) == 0;
}

static void start_events(kl_server *s, client *g)
{
    kl_text_add(&g->answer, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: "
                            "no-store\r\nConnection: close\r\n\r\n");
    g->events = true;
    s->seen   = true;
}

static void route(kl_server *s, client *g, const char *method, const char *target)
{
    size_t path = strcspn(target, "?");
    bool   get  = strcmp(method, "GET") == 0;
    if (get && path == 1)
        send_response(g, "200 OK", "text/html; charset=utf-8", s->page, s->page_size);
    else if (get && path == 7 && strncmp(target, "/events", 7) == 0) start_events(s, g);
    else if (strcmp(method, "POST") == 0 && path == 5 && strncmp(target, "/stop", 5) == 0) {
        s->stop = true;
        refuse(g, "200 OK", "stopping\n");
    } else refuse(g, "404 Not Found", "page not found\n");
}

static void handle(kl_server *s, client *g)
{
    char        method[8] = "", target[200] = "";
    bool        read  = sscanf(g->request, "%7s %199s", method, target) == 2;
    const char *token = strstr(target, "token=");
    if (!read) refuse(g, "400 Bad Request", "bad request\n");
    else if (!is_own_host(s, g->request))
        refuse(g, "403 Forbidden", "requests from this origin are not allowed\n");
    else if (!token || !same_token(token + 6, s->token))
        refuse(g, "403 Forbidden", "open the complete address that klingel printed\n");
    else route(s, g, method, target);
}

/* ---- bytes in and out ---- */

static void take_in(kl_server *s, client *g)
{
    char    rest[512];
    bool    full = g->n >= MOST_REQUEST - 1;
    ssize_t n    = g->events || g->closing || full
                       ? recv(g->fd, rest, sizeof rest, 0)
                       : recv(g->fd, g->request + g->n, (size_t)(MOST_REQUEST - 1 - g->n), 0);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
        close_client(g);
        return;
    }
    if (n < 0 || g->events || g->closing) return;
    g->n += full ? 0 : (int)n;
    g->request[g->n] = '\0';
    if (strstr(g->request, "\r\n\r\n")) handle(s, g);
    else if (full) refuse(g, "431 Request Header Fields Too Large", "too long\n");
}

static bool push(int fd, const kl_text *t, size_t *done)
{
    while (*done < t->n) {
        ssize_t n = send(fd, t->data + *done, t->n - *done, MSG_NOSIGNAL);
        if (n <= 0) return n < 0 && (errno == EAGAIN || errno == EINTR);
        *done += (size_t)n;
    }
    return true;
}

static void send_pending(kl_server *s, client *g)
{
    bool good = push(g->fd, &g->answer, &g->out);
    if (good && g->events && g->out == g->answer.n) good = push(g->fd, &s->past, &g->sent);
    if (!good || (g->closing && g->out == g->answer.n)) close_client(g);
}

/* Accepts a new connection; false if there is none. */
static bool accept_connection(kl_server *s)
{
    int fd = accept(s->fd, NULL, NULL);
    if (fd < 0) return false;
    leave_open_calls(fd);
    for (int i = 0; i < MOST_GUESTS; i++)
        if (s->clients[i].fd < 0) {
            s->clients[i] = (client){.fd = fd};
            return true;
        }
    close(fd); /* full */
    return true;
}

/* One look at all connections; false when none had anything. */
static bool poll_connections(kl_server *s, int wait_ms)
{
    struct pollfd set[MOST_GUESTS + 1] = {{.fd = s->fd, .events = POLLIN}};
    for (int i = 0; i < MOST_GUESTS; i++) {
        const client *g    = &s->clients[i];
        bool          more = g->out < g->answer.n || (g->events && g->sent < s->past.n);
        set[i + 1] = (struct pollfd){.fd = g->fd, .events = (short)(POLLIN | (more ? POLLOUT : 0))};
    }
    if (poll(set, MOST_GUESTS + 1, wait_ms) <= 0) return false;
    while ((set[0].revents & POLLIN) && accept_connection(s)) continue;
    for (int i = 0; i < MOST_GUESTS; i++) {
        client *g = &s->clients[i];
        if (g->fd < 0 || g->fd != set[i + 1].fd) continue;
        if (set[i + 1].revents & (POLLIN | POLLHUP | POLLERR)) take_in(s, g);
        if (g->fd >= 0) send_pending(s, g);
    }
    return true;
}

void kl_server_turn(kl_server *s, int wait_ms)
{
    enum { ROUNDS = 8 }; /* a request is answered in the turn in which it arrives */
    for (int i = 0; i < ROUNDS && poll_connections(s, i ? 0 : wait_ms); i++) continue;
}

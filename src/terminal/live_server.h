/* A server for one page on this machine: plain HTTP on 127.0.0.1, everything refused that does not
 * bring the token of the address, events pushed to whoever listens. It never blocks: call
 * kl_server_turn() now and then.
 *
 *   GET /?token=T          the page
 *   GET /events?token=T    a stream of server-sent events: all of the past, then what comes
 *   POST /stop?token=T     somebody wants to stop
 */
#ifndef KL_TERMINAL_LIVE_SERVER_H
#define KL_TERMINAL_LIVE_SERVER_H

#include <stdbool.h>

#include "base/text.h"

typedef struct kl_server kl_server;

/* Listens; NULL with a reason printed. `page` is borrowed. port 0: any that is free. */
kl_server *kl_server_create(int port, const char *page, size_t page_size);
void       kl_server_destroy(kl_server *s);

/* The address to open, with its token. */
const char *kl_server_address(const kl_server *s);

/* Serves waiting connections for at most `wait_ms`. */
void kl_server_turn(kl_server *s, int wait_ms);

/* One event: a line of JSON. It is kept for connections that are opened later. */
void kl_server_send(kl_server *s, const char *json);

bool kl_server_stop_wanted(const kl_server *s);
int  kl_server_listeners(const kl_server *s);    /* number of connections to the events now */
bool kl_server_had_listener(const kl_server *s); /* has a browser ever been connected? */

#endif

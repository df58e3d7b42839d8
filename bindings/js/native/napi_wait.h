/* napi_wait.h - waiting for devices beside JavaScript. Internal to the addon. */
#ifndef STRIA_NAPI_WAIT_H
#define STRIA_NAPI_WAIT_H

#include <node_api.h>

/* readLater(handle) -> promise of an ArrayBuffer of the elements that a tensor on a device has now, row-major, or of minus a status; minus a
 * status where it cannot begin. */
napi_value stria_napi_read_later(napi_env env, napi_callback_info info);
/* wait(type, index) -> promise of 0, when everything that was begun on the device is done, or of minus a status; the same. */
napi_value stria_napi_wait(napi_env env, napi_callback_info info);

#endif

/* testdata.h - files of public test suites, which lie beside the repository: $STRIA_TESTDATA, by default ../shared/testdata. Where they
 * are absent a test says so and goes on without them. */
#ifndef TEST_TESTDATA_H
#define TEST_TESTDATA_H

#include <stddef.h>

const char *testdata_folder(void);
/* A whole file, for free(); NULL if it cannot be read. */
char *testdata_read(const char *path, size_t *nbytes);
/* Bytes of a base64 text into out [most]; returns how many. */
size_t testdata_decode(const char *base64, void *out, size_t most);

#endif

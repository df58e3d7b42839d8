/* group.cu - code of groups: compiled when a text comes for the second time, kept in memory, and in files where a folder is named.
 *
 *   STRIA_CUDA_KERNELS   how many are kept in memory, 1 to 65536; 256 if it is not set
 *   STRIA_CUDA_CACHE     a folder for files; none if it is not set. A file is named by a hash, says what it is of, and is whole or ignored
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "capture.cuh"
#include "group_forms.h"
#include "nvrtc.cuh"

namespace {

struct entry {
    int                device;
    uint64_t           hash;
    std::string        text;
    stria_cuda_module *code = NULL;
    bool               is_refused = false; /* it does not compile */
    int                n_launching = 0;
    int64_t            n_uses = 0, last_use = 0;
};

typedef std::vector<std::unique_ptr<entry>> entry_list;

std::mutex  mutex;                       /* of the entries */
std::mutex  compiling;                   /* one at a time */
entry_list &entries = *new entry_list(); /* there until the process is gone: threads may outlive static objects */
int64_t     now;

size_t get_most()
{
    const char *text = getenv("STRIA_CUDA_KERNELS");
    const long  n = text != NULL ? atol(text) : 0;

    return n >= 1 && n <= 65536 ? (size_t)n : 256;
}

/* ---------------------------------------------------------------- files
 *
 * "stria group 1\n", the bytes of key, text and image, a hash of all three; then these. */

const char MAGIC[16] = "stria group 1\n";

struct header {
    char     magic[16];
    uint64_t n_key, n_text, n_image, hash;
};

uint64_t get_hash(const char *at, size_t n, uint64_t h = 0xcbf29ce484222325u) /* FNV-1a */
{
    for (size_t k = 0; k < n; k++) h = (h ^ (uint8_t)at[k]) * 0x100000001b3u;
    return h;
}

/* Empty: there are no files. */
std::string get_path(const std::string &key, uint64_t hash)
{
    const char *folder = getenv("STRIA_CUDA_CACHE");
    char        name[40];

    if (folder == NULL || folder[0] == 0) return std::string();
    snprintf(name, sizeof name, "/%016llx.group", (unsigned long long)get_hash(key.data(), key.size(), hash));
    return folder + std::string(name);
}

bool read_all(const std::string &path, std::string *bytes)
{
    char  part[4096];
    FILE *file = fopen(path.c_str(), "rb");

    if (file == NULL) return false;
    for (size_t n; (n = fread(part, 1, sizeof part, file)) > 0;) bytes->append(part, n);
    const bool is_read = !ferror(file);
    fclose(file);
    return is_read;
}

stria_cuda_module *load_file(int device, const std::string &path, const std::string &key, const char *text)
{
    std::string  bytes;
    const size_t n_text = strlen(text);
    header       h;

    if (path.empty() || !read_all(path, &bytes) || bytes.size() < sizeof h) return NULL;
    memcpy(&h, bytes.data(), sizeof h);
    const size_t n = bytes.size() - sizeof h;
    const char  *at = bytes.data() + sizeof h;
    if (memcmp(h.magic, MAGIC, sizeof MAGIC) != 0 || h.n_key != key.size() || h.n_text != n_text || h.n_image == 0 ||
        n < key.size() + n_text || h.n_image != n - key.size() - n_text || h.hash != get_hash(at, n) ||
        memcmp(at, key.data(), key.size()) != 0 || memcmp(at + key.size(), text, n_text) != 0)
        return NULL;
    return stria_cuda_load(device, at + key.size() + n_text, h.n_image);
}

/* What cannot be written is not there the next time. */
void write_file(const std::string &path, const std::string &key, const char *text, const char *image, size_t n_image)
{
    static int64_t    n_written; /* one compiles at a time */
    const std::string body = key + text + std::string(image, n_image);
    const std::string other = path + "." + std::to_string((long)getpid()) + "." + std::to_string(n_written++);
    header            h = {{0}, key.size(), strlen(text), n_image, get_hash(body.data(), body.size())};
    FILE             *file = path.empty() ? NULL : fopen(other.c_str(), "wb");

    if (file == NULL) return;
    memcpy(h.magic, MAGIC, sizeof MAGIC);
    const bool is_written = fwrite(&h, sizeof h, 1, file) == 1 && fwrite(body.data(), body.size(), 1, file) == 1;
    if (fclose(file) != 0 || !is_written || rename(other.c_str(), path.c_str()) != 0) (void)remove(other.c_str());
}

/* The code is there without a file, too. */
void try_to_write(const std::string &path, const std::string &key, const char *text, const char *image, size_t n_image)
{
    try {
        write_file(path, key, text, image, n_image);
    } catch (const std::bad_alloc &) {
    }
}

/* ---------------------------------------------------------------- memory */

entry *find(int device, const stria_cuda_group_call *call)
{
    for (auto &e : entries)
        if (e->hash == call->hash && e->device == device && e->text == call->text) return e.get();
    return NULL;
}

/* Moves the one that was used longest ago to `left`; false: all are in use. */
bool leave_out_one(entry_list *left)
{
    size_t oldest = entries.size();

    left->reserve(left->size() + 1); /* nothing is thrown once it is out of the list */

    for (size_t k = 0; k < entries.size(); k++)
        if (entries[k]->n_launching == 0 &&
            (oldest == entries.size() || entries[k]->last_use < entries[oldest]->last_use))
            oldest = k;
    if (oldest == entries.size()) return false;
    left->push_back(std::move(entries[oldest]));
    entries[oldest] = std::move(entries.back());
    entries.pop_back();
    return true;
}

/* The end of code that nobody can find any more, once all that runs on its device has ended. Without the lock. */
void end_all(const entry_list &left)
{
    for (auto &e : left) {
        if (e->code == NULL) continue;
        if (code_of(cudaSetDevice(e->device)) == STRIA_CUDA_OK) (void)code_of(cudaDeviceSynchronize());
        stria_cuda_unload(e->code);
    }
}

/* A new one for the call; those that went for it are in `left`. */
entry *add(int device, const stria_cuda_group_call *call, entry_list *left)
{
    std::unique_ptr<entry> e(new entry());

    e->device = device;
    e->hash = call->hash;
    e->text = call->text;
    entries.reserve(entries.size() + 1);
    while (entries.size() >= get_most() && leave_out_one(left)) continue;
    entries.push_back(std::move(e));
    return entries.back().get();
}

/* That of the call, which stays until `leave`. NULL: it is not there, and a capture adds none, since another one may have to go for it. */
entry *enter(int device, const stria_cuda_group_call *call, entry_list *left)
{
    std::lock_guard<std::mutex> guard(mutex);
    entry                      *e = find(device, call);

    if (e == NULL && stria_cuda_is_capturing()) return NULL;
    if (e == NULL) e = add(device, call, left);
    e->n_uses++;
    e->last_use = ++now;
    e->n_launching++;
    return e;
}

/* Leaves the entry at its end, however that comes. */
struct user {
    entry *const e;
    explicit user(entry *entered) : e(entered) {}
    user(const user &) = delete;
    user &operator=(const user &) = delete;
    ~user()
    {
        std::lock_guard<std::mutex> guard(mutex);
        e->n_launching--;
    }
};

/* Ends what was left out, however that comes. */
struct left_out {
    entry_list list;
    ~left_out() { end_all(list); }
};

/* Leaves an entry that a graph has held. */
void leave(void *held)
{
    std::lock_guard<std::mutex> guard(mutex);
    static_cast<entry *>(held)->n_launching--;
}

/* While this thread captures, the entry of a launch stays as long as the graph. */
void hold(entry *e)
{
    if (!stria_cuda_is_capturing()) return;
    stria_cuda_capture_hold(leave, e);
    std::lock_guard<std::mutex> guard(mutex);
    e->n_launching++;
}

/* Its code, compiled where it has come before; NULL: none. A capture makes no code: STRIA_CUDA_NOT_CAPTURED where it would. */
const stria_cuda_module *get_code(entry *e, bool is_wanted, int *code_of_none)
{
    std::unique_lock<std::mutex> guard(mutex);
    char                         key[160];
    size_t                       n_image = 0;

    *code_of_none = STRIA_CUDA_NO_KERNEL;
    if (e->code != NULL || e->is_refused) return e->code;
    const bool compiles = is_wanted || e->n_uses > 1;
    guard.unlock();
    if (!stria_cuda_describe_code(e->device, key, sizeof key)) return NULL;
    if (stria_cuda_meet_change() != STRIA_CUDA_OK) {
        *code_of_none = STRIA_CUDA_NOT_CAPTURED;
        return NULL;
    }
    std::lock_guard<std::mutex> alone(compiling);
    guard.lock();
    if (e->code != NULL || e->is_refused) return e->code;
    guard.unlock();
    const std::string  path = get_path(key, e->hash);
    stria_cuda_module *code = load_file(e->device, path, key, e->text.c_str());
    if (code == NULL && compiles) {
        char *image = stria_cuda_compile(e->device, e->text.c_str(), &n_image);
        code = image != NULL ? stria_cuda_load(e->device, image, n_image) : NULL;
        if (code != NULL) try_to_write(path, key, e->text.c_str(), image, n_image);
        free(image);
    }
    guard.lock();
    e->code = code;
    e->is_refused = code == NULL && compiles;
    return code;
}

/* ---------------------------------------------------------------- calls */

/* Elements; -1: as of STRIA_CUDA_TOO_LARGE. */
int64_t count_elements(const stria_cuda_group_call *call)
{
    int64_t n = 1;

    if (call->ndim < 0 || call->ndim > STRIA_CUDA_MAX_DIMS || call->n_operands > STRIA_CUDA_GROUP_OPERANDS) return -1;
    for (int d = 0; d < call->ndim; d++) {
        if (call->shape[d] < 0 || (call->shape[d] > 0 && n > INT32_MAX / call->shape[d])) return -1;
        n *= call->shape[d];
        if (n == 0) return 0;
    }
    for (int k = 0; k < call->n_operands; k++) {
        int64_t extent = 0;
        for (int d = 0; d < call->ndim; d++) {
            const int64_t stride = call->strides[d][k], reach = stride < 0 ? -stride : stride;
            if (reach > INT32_MAX || (call->shape[d] - 1) * reach > INT32_MAX - extent) return -1;
            extent += (call->shape[d] - 1) * reach;
        }
    }
    return n;
}

/* Of n > 0 elements. Returns the number of blocks. */
int64_t set_params(const stria_cuda_group_call *call, int64_t n, stria_cuda_group_params *params)
{
    int     order[STRIA_CUDA_MAX_DIMS];
    int64_t shape[STRIA_CUDA_MAX_DIMS];

    params->ndim = call->ndim;
    params->n = (uint32_t)n;
    params->in_fours = stria_cuda_group_has_fours(call, &params->ones);
    params->in_squares = !params->in_fours && stria_cuda_group_has_squares(call, order);
    for (int d = 0; d < call->ndim; d++) {
        const int from = params->in_squares ? order[d] : d;
        shape[d] = call->shape[from];
        params->size[d] = stria_cuda_divider_new((uint32_t)shape[d]);
        for (int k = 0; k < call->n_operands; k++) params->stride[d][k] = (int32_t)call->strides[from][k];
    }
    for (int k = 0; k < call->n_operands; k++) {
        params->data[k] = call->data[k];
        params->value[k] = call->value[k];
    }
    return params->in_squares ? stria_cuda_squares_init(&params->squares, call->ndim, shape)
                              : stria_cuda_grid_get(n, STRIA_CUDA_GROUP_PER_THREAD, STRIA_CUDA_THREADS);
}

} // namespace

int stria_cuda_run_group(stria_cuda_stream *stream, const stria_cuda_group_call *call)
{
    stria_cuda_group_params params;
    const int64_t           n = count_elements(call);
    int                     code;

    if (n < 0) return STRIA_CUDA_TOO_LARGE;
    if (n == 0) return STRIA_CUDA_OK;
    try {
        left_out     left;
        entry *const e = enter(stream->device, call, &left.list);
        if (e == NULL) return STRIA_CUDA_NOT_CAPTURED;
        const user               here(e);
        const stria_cuda_module *made = get_code(e, call->is_wanted, &code);
        const int64_t            blocks = set_params(call, n, &params);
        if (made != NULL) hold(e);
        if (made != NULL) code = stria_cuda_launch_code(stream, made, (unsigned)blocks, &params);
    } catch (const std::bad_alloc &) {
        code = STRIA_CUDA_NO_HOST_MEMORY;
    }
    return code;
}

// A thread of the module, as a program of its own: everything else comes by messages.
import factory from './stria-threads.mjs';

void factory({ striaThread: true });

// Passes the settings in the environment of the Node process (STRIA_FORCE_ISA ..) on to a C test.
Module['preRun'] = () => {
  for (const name of Object.keys(process.env)) {
    if (name.startsWith('STRIA_') && typeof ENV !== 'undefined') ENV[name] = process.env[name];
  }
};

/** Loads the module of its first argument, if there is one, and prints what the process has taken since its start as JSON: `[CPU ms, wall ms]`. */
const [, , specifier] = process.argv;
if (specifier !== undefined) await import(specifier);
const { user, system } = process.cpuUsage();
process.stdout.write(JSON.stringify([(user + system) / 1000, performance.now()]));

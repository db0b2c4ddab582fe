/** Loads the module of its first argument in a fresh process, and prints the time as JSON: `[CPU ms, wall ms]`. */
const [, , specifier = ''] = process.argv;
const startMs = performance.now();
const before = process.cpuUsage();
await import(specifier);
const { user, system } = process.cpuUsage(before);
process.stdout.write(JSON.stringify([(user + system) / 1000, performance.now() - startMs]));

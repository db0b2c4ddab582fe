import process from 'node:process';
import { type CliEnvironment, watchedVariable } from './process/environment.ts';
import { nodeEnvironment, type ProcessFacts } from './process/node-environment.ts';
import { takeProcess } from './process/own-process.ts';
import { runCli } from './run-cli.ts';

/** Takes the process, carries out its command line, and ends it. */
export async function start(facts: ProcessFacts): Promise<never> {
  const own = takeProcess(process);
  const environment = await ofParent(nodeEnvironment(own, facts));
  // Once all output is written the process ends; a handler that timed out must not keep it alive.
  return own.end(await runCli(process.argv.slice(2), environment));
}

/** The environment of a run that another process watches; of others as it is. */
async function ofParent(environment: CliEnvironment): Promise<CliEnvironment> {
  if (process.env[watchedVariable] === undefined) return environment;
  // What the run starts is not watched.
  delete process.env[watchedVariable];
  return (await import('./watch/watched-run.ts')).watchedRun(environment);
}

import { Socket } from 'node:net';
import { type CliEnvironment, CliInterruption, exitCodes } from '../process/environment.ts';

/** The environment of a run that its parent watches: interrupted as well when the parent closes its pipe, or is gone. The parent receives the files that the run has loaded. */
export function watchedRun(environment: CliEnvironment, descriptor = 3): CliEnvironment {
  const stop = new AbortController();
  const onClosed = (): void => stop.abort(new CliInterruption('interrupted', exitCodes.interrupted));
  let pipe: Socket;
  try {
    pipe = new Socket({ fd: descriptor, readable: true, writable: true });
  } catch {
    // Someone has set the variable: there is no pipe.
    return environment;
  }
  pipe.on('error', onClosed).on('end', onClosed).resume().unref();
  return {
    ...environment,
    signal: AbortSignal.any([environment.signal, stop.signal]),
    onLoaded: (files) => void pipe.write(`${JSON.stringify(files)}\n`),
  };
}

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { env, execPath } from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../../core/session/index.ts';
import { Child } from '../../../host/index.ts';
import type { Life } from '../life.ts';

/** How a life has ended. */
export interface LifeEnd {
  /** Exit code; absent when a signal ended it. */
  readonly code: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
  /** The points that it passed, in order. */
  readonly points: readonly string[];
  /** What it wrote about failures. */
  readonly problems: string;
}

/** A life whose process runs. */
export interface StartedLife {
  /** Resolves with true when it has passed the point, and with false when it has ended without. */
  passed(point: string): Promise<boolean>;
  signal(signal: NodeJS.Signals): void;
  readonly ended: Promise<LifeEnd>;
}

/** How long a life may last, in milliseconds: for one that hangs, however busy the machine is. */
const lifeLimitMs = 1_200_000;

/** Starts a life in a process of its own. */
export function startLife(life: Life): StartedLife {
  const description = join(life.folder, `life-${life.number}.json`);
  writeFileSync(description, JSON.stringify(life));
  const args = ['--disable-warning=ExperimentalWarning', fileURLToPath(programUrl()), description];
  const child = new Child({ command: execPath, args }, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const cancelLimit = systemClock.schedule(lifeLimitMs, () => void child.kill('SIGKILL'));
  const points: string[] = [];
  const waiting = new Map<string, (passed: boolean) => void>();
  createInterface({ input: child.pipe(1) }).on('line', (point) => {
    points.push(point);
    waiting.get(point)?.(true);
  });
  let problems = '';
  child.pipe(2).on('data', (data: Buffer) => {
    problems += data.toString();
  });
  const ended = child.ended.then(({ exitCode, signal, failure }) => {
    cancelLimit();
    for (const resolve of waiting.values()) resolve(false);
    if (failure !== undefined) throw failure;
    return { code: exitCode, signal, points, problems };
  });
  return {
    ended,
    passed: (point) =>
      points.includes(point) ? Promise.resolve(true) : new Promise((resolve) => waiting.set(point, resolve)),
    signal: (signal) => void child.kill(signal),
  };
}

/** The program. This module is in the same folder in the sources and in the build, where it is part of `matrix.js`. */
function programUrl(): URL {
  return import.meta.url.endsWith('.ts')
    ? new URL('../child/program.ts', import.meta.url)
    : new URL('../child/program.js', import.meta.url);
}

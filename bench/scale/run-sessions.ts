import { Gate } from '../harness/gate.ts';
import { runProgram } from '../harness/program.ts';
import type { Report } from '../harness/row.ts';
import { collectGarbage } from '../harness/samples.ts';
import { type Ask, RemoteModels } from './remote-models.ts';

interface Settings extends Record<string, number> {
  readonly sessions: number;
  /** Turns of each model that ask for a call; one more ends the run. */
  readonly turns: number;
  /** How long a model takes for a turn. */
  readonly thinkMs: number;
}

/** What the model of a session does: it asks its provider, and passes the gate before its last answer. */
export interface SessionModel {
  readonly turns: number;
  readonly think: Ask;
  readonly passGate: () => Promise<void>;
}

/** The agent of a session. */
export interface RunningSession {
  /** The last text of its model. */
  readonly run: Promise<string>;
  dispose(): Promise<void>;
}

export interface SessionSystem {
  /** Begins a session. */
  readonly start: (model: SessionModel) => RunningSession;
  /** How many calls the tools of all sessions have had so far. */
  readonly counted: () => number;
  readonly answer: string;
}

const tinySessions = 5;
const warmUpSessions = 20;
const bytesPerKib = 1_024;

/**
 * The program of a system: many agents at a time in one process. `cpuPerStep` in µs, `wallPerStep`, `overheadP50` and `overheadP99` in ms,
 * `heapPerSession` and `rssPerSession` in KiB.
 */
export async function runSessions(system: SessionSystem): Promise<void> {
  await runProgram<Settings>(async ({ sessions: wanted, turns, thinkMs }, plan) => {
    const sessions = plan.effort === 'tiny' ? tinySessions : wanted;
    await using models = await RemoteModels.open(sessions, thinkMs);
    const figures: Record<string, number[]> = {};
    const add = (figure: string, value: number) => void (figures[figure] ??= []).push(value);
    const warmUp = async () => {
      for (let count = 0; count < plan.warmUps; count += 1) {
        await runAll(system, models, Math.min(sessions, warmUpSessions), turns);
      }
    };
    await warmUp();
    // First: later ones find the pages that it took. It collects garbage, which is why its times do not count.
    const memory = await runAll(system, models, sessions, turns, collectGarbage);
    add('heapPerSession', memory.heapBytes / sessions / bytesPerKib);
    add('rssPerSession', memory.rssBytes / sessions / bytesPerKib);
    await warmUp();
    const endMs = performance.now() + plan.limitMs;
    for (let sample = 0; sample < plan.samples && (sample === 0 || performance.now() < endMs); sample += 1) {
      const { cpuMs, wallMs } = await runAll(system, models, sessions, turns);
      const steps = sessions * turns;
      add('cpuPerStep', (cpuMs * 1_000) / steps);
      add('wallPerStep', wallMs / steps);
      add('overheadP50', models.overheadMs(50));
      add('overheadP99', models.overheadMs(99));
    }
    return { samples: figures, notes: [] } satisfies Report;
  });
}

/**
 * Runs so many agents to their ends. Memory is looked at where all of them have asked for their last answer.
 *
 * @param beforeMemory what precedes each look at the memory.
 */
async function runAll(
  { start, counted, answer }: SessionSystem,
  models: RemoteModels,
  count: number,
  turns: number,
  beforeMemory: () => void = () => undefined,
) {
  const gate = new Gate(count);
  const asks = models.begin(count);
  const countedBefore = counted();
  beforeMemory();
  const before = process.memoryUsage();
  const startMs = performance.now();
  const startCpu = process.cpuUsage();
  const sessions = asks.map((think) => start({ turns, think, passGate: () => gate.pass() }));
  const runs = sessions.map(({ run }) => run);
  await Promise.race([gate.reached, Promise.all(runs)]);
  const wallMs = performance.now() - startMs;
  const { user, system } = process.cpuUsage(startCpu);
  beforeMemory();
  const alive = process.memoryUsage();
  gate.open();
  for (const text of await Promise.all(runs)) {
    if (text !== answer) throw new Error(`A run ended with "${text}".`);
  }
  const calls = counted() - countedBefore;
  if (calls !== count * turns) throw new Error(`The tools ran ${calls} times for ${count * turns} calls.`);
  for (const session of sessions) await session.dispose();
  return {
    wallMs,
    cpuMs: (user + system) / 1_000,
    rssBytes: alive.rss - before.rss,
    heapBytes: alive.heapUsed - before.heapUsed,
  };
}

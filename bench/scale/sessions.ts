/** Many sessions at a time in one process, each with an agent whose model takes a while for a turn. */
import { type ProviderAdapter, Session } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { Gate } from '../harness/gate.ts';
import { runProgram } from '../harness/program.ts';
import type { Report } from '../harness/row.ts';
import { collectGarbage } from '../harness/samples.ts';
import { argumentText, toolName } from '../systems/count-tool.ts';
import { countingAgent } from './counting-agent.ts';
import { RequestClock } from './request-clock.ts';

interface Settings extends Record<string, number> {
  readonly sessions: number;
  /** Turns of each model that ask for a call; one more ends the run. */
  readonly turns: number;
  /** How long a model takes for a turn. */
  readonly thinkMs: number;
}

const tinySessions = 5;
const warmUpSessions = 20;
const bytesPerMib = 1_048_576;

let counted = 0;
const template = countingAgent(() => {
  counted += 1;
});

await runProgram<Settings>(async (settings, plan) => {
  const sessions = plan.effort === 'tiny' ? tinySessions : settings.sessions;
  const warmUp = async () => {
    for (let count = 0; count < plan.warmUps; count += 1) {
      await runSessions({ ...settings, sessions: Math.min(sessions, warmUpSessions) });
    }
  };
  const figures: Record<string, number[]> = {};
  const add = (figure: string, value: number) => void (figures[figure] ??= []).push(value);
  await warmUp();
  // First: later ones find the pages that it took. It collects garbage, which is why its times do not count.
  const memory = await runSessions({ ...settings, sessions }, collectGarbage);
  add('heapPerSession', memory.heapBytes / sessions / bytesPerMib);
  add('rssPerSession', memory.rssBytes / sessions / bytesPerMib);
  await warmUp();
  const endMs = performance.now() + plan.limitMs;
  for (let sample = 0; sample < plan.samples && (sample === 0 || performance.now() < endMs); sample += 1) {
    const { cpuMs, wallMs, clock } = await runSessions({ ...settings, sessions });
    const steps = sessions * settings.turns;
    add('cpuPerStep', (cpuMs * 1_000) / steps);
    add('wallPerStep', wallMs / steps);
    add('overheadP50', clock.overheadMs(50));
    add('overheadP99', clock.overheadMs(99));
    add('latenessP50', clock.latenessMs(50));
    add('latenessP99', clock.latenessMs(99));
  }
  return { samples: figures, notes: [] } satisfies Report;
});

/**
 * Runs so many agents to their ends. Memory is looked at where all of them have asked for their last answer.
 *
 * @param beforeMemory what precedes each look at the memory.
 */
async function runSessions(
  { sessions: count, turns, thinkMs }: Settings,
  beforeMemory: () => void = () => undefined,
) {
  const clock = new RequestClock(thinkMs);
  const gate = new Gate(count);
  counted = 0;
  beforeMemory();
  const before = process.memoryUsage();
  const startMs = performance.now();
  const startCpu = process.cpuUsage();
  const sessions = Array.from({ length: count }, () => new Session());
  const runs = sessions.map((session) =>
    agentOf(turns, clock.follow(), () => gate.pass()).evaluate(template.bind(), { session }),
  );
  await Promise.race([gate.reached, Promise.all(runs)]);
  const wallMs = performance.now() - startMs;
  const { user, system } = process.cpuUsage(startCpu);
  beforeMemory();
  const alive = process.memoryUsage();
  gate.open();
  for (const { text } of await Promise.all(runs)) {
    if (text !== 'done') throw new Error(`A run ended with "${text}".`);
  }
  if (counted !== count * turns)
    throw new Error(`The tools ran ${counted} times for ${count * turns} calls.`);
  for (const session of sessions) await session[Symbol.asyncDispose]();
  return {
    clock,
    wallMs,
    cpuMs: (user + system) / 1_000,
    rssBytes: alive.rss - before.rss,
    heapBytes: alive.heapUsed - before.heapUsed,
  };
}

function agentOf(turns: number, think: () => Promise<void>, passGate: () => Promise<void>): ProviderAdapter {
  return scriptedAdapter(async (_conversation, { turn }) => {
    await think();
    if (turn <= turns) return { toolCalls: [{ name: toolName, arguments: argumentText }] };
    await passGate();
    return { text: 'done' };
  });
}

/** One evaluation of very many steps: what a step takes, and what the process holds, early and late. */
import { Session, ToolCallLog } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { runProgram } from '../harness/program.ts';
import { collectGarbage } from '../harness/samples.ts';
import { toolName } from '../systems/count-tool.ts';
import { countingAgent } from './counting-agent.ts';

interface Settings extends Record<string, number | boolean | string> {
  readonly steps: number;
  /** Whether the conversation and the records of calls are held to a limit. */
  readonly bounded: boolean;
  /** A look at the memory collects garbage, so the time is measured in a run of its own. */
  readonly looksAt: 'cpu' | 'memory';
}

const tinySteps = 50;
const warmUpSteps = 500;
/** Where it is looked at the process, in hundredths of the run. */
const looks = [1, 10, 50, 100];
const keptRecords = 1_000;
const keptTurns = 200;
const bytesPerMib = 1_048_576;

let counted = 0;
const template = countingAgent(() => {
  counted += 1;
});

await runProgram<Settings>(async (settings, plan) => {
  const steps = plan.effort === 'tiny' ? tinySteps : settings.steps;
  for (let count = 0; count < plan.warmUps; count += 1) await run(warmUpSteps, settings.bounded);
  const samples: Record<string, number[]> = {};
  const endMs = performance.now() + plan.limitMs;
  let from = 0;
  let cpu = process.cpuUsage();
  const made = await run(steps, settings.bounded, (step) => {
    const percent = looks.find((look) => step === Math.ceil((steps * look) / 100));
    if (percent !== undefined) {
      if (settings.looksAt === 'cpu') {
        const { user, system } = process.cpuUsage(cpu);
        samples[`cpu${percent}`] = [(user + system) / (step - from)];
        from = step;
        cpu = process.cpuUsage();
      } else {
        collectGarbage();
        const { heapUsed, rss } = process.memoryUsage();
        samples[`heap${percent}`] = [heapUsed / bytesPerMib];
        samples[`rss${percent}`] = [rss / bytesPerMib];
      }
    }
    return performance.now() < endMs;
  });
  const notes = made < steps ? [`cut off after ${made} of ${steps} steps`] : [];
  return { samples, notes };
});

/** @param onStep told after each step; false ends the run. @returns the number of steps */
async function run(steps: number, bounded: boolean, onStep?: (step: number) => boolean): Promise<number> {
  counted = 0;
  await using session = new Session();
  if (bounded) session.install(ToolCallLog, { retain: keptRecords });
  const adapter = scriptedAdapter((_conversation, { turn }) => {
    const isOver = onStep !== undefined && turn > 1 && !onStep(turn - 1);
    if (turn > steps || isOver) return { text: `${turn - 1}` };
    const text = JSON.stringify({ id: `item-${turn}`, count: turn, flag: true });
    return { toolCalls: [{ name: toolName, arguments: text }] };
  });
  const { text } = await adapter.evaluate(template.bind(), {
    session,
    limits: { maxTurns: steps + 1 },
    ...(bounded ? { context: { maxTurns: keptTurns } } : {}),
  });
  if (text !== `${counted}`)
    throw new Error(`The model asked for ${text} calls, the tool ran ${counted} times.`);
  return counted;
}

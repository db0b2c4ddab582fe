/**
 * What a look-up of a resource costs among 10 bindings and among 10,000: it must not depend on their number, and neither
 * must what a tool call pays for its scope. Only the ratios of one run count; CPU time, since machines are shared.
 * `npm run bench -- resource [LOOK-UPS]`, default 20,000.
 */
import {
  type AnyBinding,
  bind,
  type NamedToken,
  promptTemplate,
  resource,
  Session,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedModel } from 'weakincentives/testing';

const lookUps = Number(process.argv[2] ?? 20_000);
const calls = 500;
const rounds = 7;
const few = 10;
const many = 10_000;

interface Numbered {
  readonly number: number;
}

interface Agent {
  readonly singleton: () => Promise<number>;
  readonly prototype: () => Promise<number>;
  readonly call: () => Promise<number>;
}

/** An agent over this many bindings; what it answers with is CPU microseconds for one look-up or one call. */
function agentWith(count: number): Agent {
  const tokens = Array.from({ length: count }, (_, number) => resource<Numbered>(`number ${number}`));
  const [first, fresh, perCall] = tokens;
  if (first === undefined || fresh === undefined || perCall === undefined)
    throw new Error('Too few bindings.');
  const scopeOf = (number: number) =>
    number === 1 ? ('prototype' as const) : number === 2 ? ('tool-call' as const) : ('singleton' as const);
  const resources: AnyBinding[] = tokens.map((token, number) =>
    bind(token, () => ({ number }), { scope: scopeOf(number) }),
  );
  let microseconds = 0;
  const repeated = (name: string, token: NamedToken<Numbered>, times: number) =>
    tool({
      name,
      description: 'Looks up.',
      effects: 'read',
      execute: async (_params, context) => {
        await context.resources.get(token);
        const before = process.cpuUsage();
        for (let time = 0; time < times; time += 1) await context.resources.get(token);
        const { user, system } = process.cpuUsage(before);
        microseconds = (user + system) / times;
        return ToolResult.ok(null);
      },
    });
  const prompt = promptTemplate({
    ns: 'bench',
    key: 'resource',
    resources,
    sections: [
      section({
        title: 'Look-ups',
        key: 'look-ups',
        template: 'Look up.',
        tools: [
          repeated('singleton', first, lookUps),
          repeated('prototype', fresh, lookUps),
          tool({
            name: 'call',
            description: 'Uses its own.',
            effects: 'read',
            execute: async (_params, { resources: own }) => {
              await own.get(perCall);
              return ToolResult.ok(null);
            },
          }),
        ],
      }),
    ],
  }).bind();
  // One session, so that what an evaluation does once with all bindings is not counted as a part of a call.
  const session = new Session();
  const run = async (name: string, turns: number): Promise<void> => {
    const model = scriptedModel((_conversation, { turn }) =>
      turn > turns ? { text: 'done' } : { toolCalls: [{ name }] },
    );
    await model.evaluate(prompt, { session, maxTurns: turns + 1 });
  };
  const lookUp = async (name: string): Promise<number> => {
    await run(name, 1);
    return microseconds;
  };
  const cpu = async (turns: number): Promise<number> => {
    const before = process.cpuUsage();
    await run('call', turns);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  return {
    singleton: () => lookUp('singleton'),
    prototype: () => lookUp('prototype'),
    call: async () => (await cpu(calls)) / calls,
  };
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const [small, large] = [agentWith(few), agentWith(many)];
console.log(`CPU µs, median of ${rounds} rounds; ${few} bindings, ${many} bindings, ratio`);
for (const what of ['singleton', 'prototype', 'call'] as const) {
  await small[what]();
  await large[what]();
  const measured: { readonly few: number; readonly many: number }[] = [];
  for (let round = 0; round < rounds; round += 1)
    measured.push({ few: await small[what](), many: await large[what]() });
  const fewMedian = median(measured.map((round) => round.few));
  const manyMedian = median(measured.map((round) => round.many));
  const ratio = (manyMedian / fewMedian).toFixed(2);
  console.log(
    `${what.padEnd(10)} ${fewMedian.toFixed(2).padStart(8)} ${manyMedian.toFixed(2).padStart(8)}   ${ratio}`,
  );
}

import { createHook } from 'node:async_hooks';
import { expect, test } from 'vitest';
import { scriptedAdapter } from 'weakincentives/testing';
import { countingAgent } from '../../bench/scale/counting-agent.ts';
import { argumentText, toolName } from '../../bench/systems/count-tool.ts';

test('a step with two policies, an event and strict schemas makes few promises', async () => {
  const steps = 100;
  expect(await promisesOfSteps(steps)).toBeLessThan(50 * steps);
});

/** How many promises an evaluation makes with so many steps more than another one. */
async function promisesOfSteps(steps: number): Promise<number> {
  const few = await countPromises(1);
  return (await countPromises(1 + steps)) - few;
}

async function countPromises(steps: number): Promise<number> {
  let promises = 0;
  let counted = 0;
  const agent = countingAgent(() => {
    counted += 1;
  });
  const adapter = scriptedAdapter((_conversation, { turn }) =>
    turn <= steps ? { toolCalls: [{ name: toolName, arguments: argumentText }] } : { text: 'done' },
  );
  const hook = createHook({
    init: (_id, type) => {
      if (type === 'PROMISE') promises += 1;
    },
  }).enable();
  try {
    await adapter.evaluate(agent.bind(), { limits: { maxTurns: steps + 1 } });
  } finally {
    hook.disable();
  }
  expect(counted).toBe(steps);
  return promises;
}

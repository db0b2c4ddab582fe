import type { ProviderAdapter } from '../../../core/evaluation/index.ts';
import { type Prompt, promptTemplate, section } from '../../../core/prompt/index.ts';
import { recordSchema, text } from '../../../core/schema/index.ts';
import { ToolResult, tool } from '../../../core/tool/index.ts';
import { scriptedAdapter } from '../../doubles/scripted-adapter.ts';
import { answerUsage } from '../life.ts';
import type { Effects } from './effects.ts';
import type { Points } from './points.ts';
import { Count, Counts, Hearings, Sayings } from './state.ts';

/** The prompt of runs that want the same thing done: it is done once. */
export function oncePrompt(points: Points, effects: Effects): Prompt {
  const pay = tool({
    name: 'pay',
    description: 'Pays, and cannot look up what was paid.',
    effects: 'external',
    inputSchema: recordSchema({ to: text }),
    once: ({ to }) => `payment/${to}`,
    execute: async ({ to }) => {
      points.pass('pay before');
      effects.add('effects', `paid ${to}`);
      points.pass('pay after');
      return ToolResult.ok({ to });
    },
  });
  return promptTemplate({
    ns: 'weakincentives/matrix',
    key: 'once',
    sections: [
      section({
        title: 'Task',
        key: 'task',
        template: 'Pay.',
        slices: [Count, Counts, Hearings, Sayings],
        tools: [pay],
      }),
    ],
  }).bind();
}

/** A model that wants a payment, and answers. */
export function onceModel(points: Points, runId: string): ProviderAdapter {
  return scriptedAdapter((conversation) => {
    points.pass('model in');
    const isFirst = conversation.every(({ type }) => type !== 'assistant');
    const pay = { name: 'pay', callId: `${runId}.1-0`, arguments: { to: 'ann' } };
    return { text: 'Done.', toolCalls: isFirst ? [pay] : [], usage: answerUsage };
  });
}

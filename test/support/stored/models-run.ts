import { type Prompt, type ProviderAdapter, promptTemplate, section, ToolResult, tool } from 'weakincentives';
import { fallbackAdapter, type ModelTurn, providerAdapter, ThrottleError } from 'weakincentives/provider';

/** The prompt of the stored run that has left its first model. */
export function modelsPrompt(): Prompt {
  const look = tool({
    name: 'look',
    description: 'Looks.',
    effects: 'read',
    execute: () => ToolResult.ok(null, 'Seen.'),
  });
  const task = section({ title: 'Task', key: 'task', template: 'Look three times.', tools: [look] });
  return promptTemplate({ ns: 'stored', key: 'looker', sections: [task] }).bind();
}

/**
 * Its models: the first one is away from turn 2 on, unless it `isBack`.
 *
 * @param asked gets the name of each model that is asked, and the turn.
 */
export function modelsAdapter(asked: string[] = [], isBack = false): ProviderAdapter {
  const model = (name: string, isAway: (turn: number) => boolean): ProviderAdapter =>
    providerAdapter({
      model: {
        name,
        provider: 'stored',
        prices: { inputPerMillion: 1, outputPerMillion: 2 },
        generate: ({ turn }): ModelTurn => {
          asked.push(`${name} ${turn}`);
          if (isAway(turn)) throw new ThrottleError('It is away.', { kind: 'server-error' });
          const usage = { inputTokens: 10, outputTokens: 2 };
          return turn < 4
            ? {
                content: [{ type: 'tool-call', callId: `c${turn}`, name: 'look', arguments: '{}' }],
                finishReason: 'tool-calls',
                usage,
              }
            : { content: [{ type: 'text', text: `Seen by ${name}.` }], finishReason: 'stop', usage };
        },
      },
    });
  const first = model('first', (turn) => turn > 1 && !isBack);
  return fallbackAdapter({ adapters: [first, model('second', () => false)] });
}

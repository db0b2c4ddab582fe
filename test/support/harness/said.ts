import type { AssistantPart, ToolCallPart } from 'weakincentives';
import type { LanguageModel, ModelRequest, ModelTurn } from 'weakincentives/provider';

/** A text that a model says. */
export const said = (text: string, rest: Partial<ModelTurn> = {}): ModelTurn => ({
  content: [{ type: 'text', text }],
  finishReason: 'stop',
  ...rest,
});

/** Calls that a model makes: names and arguments. Their ids are `c1`, `c2` and so on, after the given number. */
export function called(
  calls: readonly (readonly [name: string, given: object])[],
  { after = 0, text, ...rest }: Partial<ModelTurn> & { readonly after?: number; readonly text?: string } = {},
): ModelTurn {
  const parts = calls.map(
    ([name, given], index): ToolCallPart => ({
      type: 'tool-call',
      callId: `c${after + index + 1}`,
      name,
      arguments: JSON.stringify(given),
    }),
  );
  const content: readonly AssistantPart[] = text === undefined ? parts : [{ type: 'text', text }, ...parts];
  return { content, finishReason: 'tool-calls', ...rest };
}

/** A model that says these turns, and the requests that it got. */
export function scriptedModel(turns: readonly (ModelTurn | ((request: ModelRequest) => ModelTurn))[]): {
  readonly model: Pick<LanguageModel, 'generate'>;
  readonly requests: ModelRequest[];
} {
  const requests: ModelRequest[] = [];
  return {
    requests,
    model: {
      generate: (request) => {
        requests.push({ ...request, conversation: [...request.conversation] });
        const turn = turns[requests.length - 1];
        if (turn === undefined) throw new Error(`The script ends before turn ${requests.length}.`);
        return typeof turn === 'function' ? turn(request) : turn;
      },
    },
  };
}

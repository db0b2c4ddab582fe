import { Filesystem, MemoryFilesystem } from '../filesystem/index.ts';
import { allow, type ToolPolicy } from '../policy/index.ts';
import { type Prompt, promptTemplate, section } from '../prompt/index.ts';
import { bind } from '../resource/index.ts';
import type { ModelProvider } from '../runtime/index.ts';
import { append, defineSystemEvent, defineSystemSlice, on } from '../session/index.ts';
import { ToolResult, tool } from '../tool/index.ts';

/** What the call that does not end is held by, for good: see {@link keepStandingCall}. */
const held: unknown[] = [];

const Stood = defineSystemEvent<{ readonly at: number }>('weakincentives.stood');
const Standing = defineSystemSlice<{ readonly at: number }>('weakincentives.standing', {
  reducers: [
    on(Stood, (items, payload) => {
      held.push(items);
      return append(payload);
    }),
  ],
});
const model: ModelProvider = {
  name: 'standing call',
  generate: ({ turn }) => ({
    content: [{ type: 'tool-call', callId: `call-${turn}`, name: 'stand', arguments: '{}' }],
    finishReason: 'tool-calls',
  }),
};

type Evaluate = (model: ModelProvider, prompt: Prompt<undefined>) => Promise<unknown>;

/** Begins the call; undefined once it has begun. */
let begin: ((evaluate: Evaluate) => void) | undefined;

// Waited for from here, where nobody has asked for anything: an asynchronous context that somebody evaluates in, such as
// what a server knows of a request, would be held with the call.
void new Promise<Evaluate>((resolve) => {
  begin = resolve;
}).then((evaluate) => {
  const { prompt, hold } = standingPrompt(held);
  // It rejects with nothing that concerns anybody.
  hold(evaluate(model, prompt).catch(() => undefined));
});

/**
 * Keeps one small tool call open, the same for the whole process. A JavaScript engine throws away what it has compiled
 * for objects of a shape as soon as a garbage collection finds none of them alive. Between two runs that is all of the
 * runtime, and the next run would begin slowly again; with one call that stands open there is always one of each. It
 * waits for nothing that keeps a process alive, and reaches nothing of anybody else.
 *
 * @param evaluate evaluates a prompt on a model. Called once in the life of a process, a moment later.
 */
export function keepStandingCall(evaluate: Evaluate): void {
  begin?.(evaluate);
  begin = undefined;
}

/** A prompt whose second call does not end; what is known of the calls is put into `parts`. */
function standingPrompt(parts: unknown[]): {
  readonly prompt: Prompt<undefined>;
  readonly hold: (part: unknown) => void;
} {
  const hold = (part: unknown): void => void parts.push(part);
  let calls = 0;
  const policy: ToolPolicy = {
    name: 'standing',
    check: (_call, context) => {
      hold([context, context.session]);
      return allow();
    },
    onResult: (_call, _result, context) => hold(context),
  };
  const stand = tool({
    name: 'stand',
    description: 'Stands.',
    effects: 'state',
    execute: (_params, context) => {
      hold([context, context.session, context.session.slice(Standing)]);
      context.session.dispatch(Stood, { at: calls });
      calls += 1;
      // The first call is committed, so that there is a state that something was put on.
      if (calls === 1) return ToolResult.ok(null);
      const forGood = new Promise<never>(() => undefined);
      hold(forGood);
      return forGood;
    },
  });
  const template = promptTemplate({
    ns: 'weakincentives',
    key: 'standing-call',
    sections: [
      section({
        title: 'Standing',
        key: 'standing',
        template: 'Stand.',
        tools: [stand],
        slices: [Standing],
        policies: [policy],
        resources: [bind(Filesystem, () => new MemoryFilesystem())],
      }),
    ],
  });
  return { prompt: template.bind(), hold };
}

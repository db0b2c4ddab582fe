import { present } from '../../core/internal/index.ts';
import type { Prompt } from '../../core/prompt/index.ts';
import type { LanguageModel, LanguageModels } from '../../core/runtime/index.ts';
import type { ReadonlySessionView } from '../../core/session/index.ts';
import type { RunRecord } from '../fold/run-record.ts';

/** What of a request goes over the wire and is then left out of the instructions. */
type WireFlags = Required<Pick<LanguageModel, 'takesExamples' | 'takesOutputSchema'>>;

const combinations: readonly WireFlags[] = [
  { takesExamples: false, takesOutputSchema: false },
  { takesExamples: false, takesOutputSchema: true },
  { takesExamples: true, takesOutputSchema: false },
  { takesExamples: true, takesOutputSchema: true },
];

/**
 * A model with the name of the recorded one, which is never asked. A record does not say what its model took over the wire: that is found out by
 * rendering the prompt.
 */
export async function replayModel(
  { root }: RunRecord,
  prompt: Prompt,
  session: ReadonlySessionView,
): Promise<LanguageModel> {
  const { adapter, model, models, provider, prices } = root;
  const replayed: LanguageModel = {
    name: adapter,
    model,
    ...present({ provider, prices }),
    ...(await wireFlags(root.turns[0]?.request?.instructions, prompt, session)),
    generate,
  };
  return models === undefined ? replayed : withModels(replayed, models);
}

function generate(): never {
  throw new TypeError('A replay has no model to ask.');
}

/** The models that the recorded run had: each has its own prices. */
function withModels(
  replayed: LanguageModel,
  models: NonNullable<RunRecord['root']['models']>,
): LanguageModels {
  const named = models.map(({ name, ...model }) => ({ name, model: { name, ...model, generate } }));
  return { ...replayed, '~models': named };
}

/** The flags with which the instructions are the recorded ones, or most like them. */
async function wireFlags(
  recorded: string | undefined,
  prompt: Prompt,
  session: ReadonlySessionView,
): Promise<WireFlags> {
  let best: { readonly flags: WireFlags; readonly distance: number } | undefined;
  for (const flags of combinations) {
    const text = await renderedWith(flags, prompt, session);
    if (text === undefined || recorded === undefined) continue;
    if (text === recorded) return flags;
    const distance = Math.abs(text.length - recorded.length);
    if (best === undefined || distance < best.distance) best = { flags, distance };
  }
  return best?.flags ?? { takesExamples: false, takesOutputSchema: false };
}

async function renderedWith(
  { takesExamples, takesOutputSchema }: WireFlags,
  prompt: Prompt,
  session: ReadonlySessionView,
): Promise<string | undefined> {
  try {
    const rendered = await prompt.render({
      session,
      examplesOnWire: takesExamples,
      outputSchemaOnWire: takesOutputSchema,
    });
    return rendered.text;
  } catch {
    // It needs what only a run has: the evaluation says what is wrong with it, if anything is.
    return undefined;
  }
}

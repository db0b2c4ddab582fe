import { assertOptions, PromptValidationError } from '../../core/error/index.ts';
import { modelOf, type ProviderAdapter } from '../../core/evaluation/index.ts';
import { present, quotedList } from '../../core/internal/index.ts';
import {
  defaultCharactersPerToken,
  type LanguageModel,
  type LanguageModels,
  type ModelCheck,
  modelsOf,
  type NamedModel,
} from '../../core/runtime/index.ts';
import { neutralSettings } from '../../core/tool/index.ts';
import { providerAdapter } from './provider-adapter.ts';

/**
 * An adapter over several models. A run asks the first one; when that cannot answer for now and its retries (option `retry`) are used up, or its quota
 * is, the run asks the next one for the same turn, and stays with it until it ends. Calls that have run do not run again. It does not ask another model
 * after a refusal, an answer that cannot be used, a conversation that is too long, an end of the budget or an abort; and not right after a turn that a provider
 * has paused, or asked for an approval in, which only that provider can continue.
 *
 * The change is the event `model-changed` and, with a journal, a row: a run that is resumed stays with its model. The settings of an evaluation must be
 * neutral ones, such as `maxOutputTokens`; those of one provider belong to its adapter. A model is named by its adapter and its model, such as `openai/gpt-5`.
 *
 * ```ts no-run
 * import { promptTemplate, section } from 'weakincentives';
 * import { anthropic } from 'weakincentives/anthropic';
 * import { openai } from 'weakincentives/openai';
 * import { fallbackAdapter } from 'weakincentives/provider';
 *
 * const task = section({ title: 'Task', key: 'task', template: 'Answer in one sentence.' });
 * const prompt = promptTemplate({ ns: 'docs', key: 'answer', sections: [task] }).bind();
 * const adapter = fallbackAdapter({
 *   adapters: [openai({ model: 'gpt-5' }), anthropic({ model: 'claude-sonnet-4-5', maxTokens: 8_000 })],
 * });
 * const { text, models } = await adapter.evaluate(prompt, { input: 'Why is the sky blue?' });
 * console.log(models, text);
 * ```
 *
 * @param options `adapters`: at least two, each with another model or another `name`, in the order in which they are asked. One that this function made represents those
 *   that it has.
 * @throws {PromptValidationError} for fewer, for the same model twice, and for an adapter without a model, such as a harness.
 * @see docs/spec/models.md §13
 */
export function fallbackAdapter(options: { readonly adapters: readonly ProviderAdapter[] }): ProviderAdapter {
  assertOptions('fallbackAdapter()', options, { adapters: 'array!' });
  const models = options.adapters.flatMap(namedModels);
  const names = models.map(({ name }) => name);
  const [first] = models;
  if (first === undefined || models.length < 2)
    throw refused(
      `fallbackAdapter() needs at least two models, got ${models.length}. Use an adapter by itself where there is one.`,
    );
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw refused(
      `fallbackAdapter() has the model "${twice}" twice. Leave one out, or give one of the adapters another name: the option name, for another server with the same model.`,
    );
  return providerAdapter({ model: joined(models, first.model) });
}

/** The models of an adapter. */
function namedModels(adapter: ProviderAdapter, index: number): readonly NamedModel[] {
  // Code without types may give anything.
  const given: unknown = adapter;
  const model = typeof given === 'object' && given !== null ? modelOf(adapter) : undefined;
  if (model === undefined)
    throw refused(
      `fallbackAdapter() cannot ask the adapter at index ${index}: it has no model of its own that is asked turn by turn, as harnesses do not. Use adapters of models, such as openai(), anthropic(), aiSdk() or providerAdapter().`,
    );
  return modelsOf(model) ?? [{ name: nameOf(adapter.name, model), model }];
}

/** Adapters of one vendor have its name by default: the model tells them apart. */
function nameOf(name: string, { model }: LanguageModel): string {
  const isNamed =
    model === undefined || name === model || ['/', ':'].some((mark) => name.endsWith(`${mark}${model}`));
  return isNamed ? name : `${name}/${model}`;
}

/** The models as one, which a run asks one by one. */
function joined(models: readonly NamedModel[], first: LanguageModel): LanguageModels {
  const takes = (what: 'takesExamples' | 'takesOutputSchema'): boolean =>
    models.every(({ model }) => model[what] === true);
  const { model, provider, prices, settings } = first;
  // What is estimated is not too small for any of them.
  const charactersPerToken = Math.min(
    ...models.map((each) => each.model.charactersPerToken ?? defaultCharactersPerToken),
  );
  return {
    name: models.map(({ name }) => name).join(' → '),
    ...present({ model, provider, prices, settings }),
    charactersPerToken,
    // The instructions are rendered once: what one of them lacks is written into them for all.
    takesExamples: takes('takesExamples'),
    takesOutputSchema: takes('takesOutputSchema'),
    check: (asked) => {
      assertNeutral(asked);
      for (const each of models) each.model.check?.(asked);
    },
    generate: (request, callOptions) => first.generate(request, callOptions),
    '~models': models,
  };
}

/** @throws {PromptValidationError} for settings of one provider, which the others do not know. */
function assertNeutral({ settings }: ModelCheck): void {
  const known: ReadonlySet<string> = new Set(neutralSettings);
  const own = Object.keys(settings).filter((name) => settings[name] !== undefined && !known.has(name));
  if (own.length === 0) return;
  throw new PromptValidationError(
    `With fallbackAdapter() the settings of an evaluation go to each of its models, so they must be neutral: ${neutralSettings.join(', ')}. Give ${quotedList(own)} to the adapter of the provider that knows them: its option settings.`,
    { details: { option: `settings.${own[0] ?? ''}` } },
  );
}

function refused(message: string): PromptValidationError {
  return new PromptValidationError(message, { details: { option: 'adapters' } });
}

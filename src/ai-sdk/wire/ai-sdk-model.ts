import { PromptValidationError } from '../../error/index.ts';
import type { AiSdkCallOptions, AiSdkVersion } from './call-options.ts';

/** What the adapter reads of a stream. A `ReadableStream` fits. */
export interface AiSdkStream {
  /** Called once. */
  getReader(): AiSdkStreamReader;
}

/** Reads a stream of a model, one piece after the other. */
export interface AiSdkStreamReader {
  /** The next piece. May reject: the answer then broke off. */
  read(): PromiseLike<{ readonly done: boolean; readonly value?: unknown }>;
  /** Ends the stream; a `read` that waits must then come to an end. May reject, which says nothing more. */
  cancel(reason?: unknown): PromiseLike<void>;
}

/**
 * What the adapter needs of a language model of the AI SDK with the given version of its interface. The models of its
 * provider packages fit, and so do wrapped models and objects of your own. What they resolve to is read with care: only
 * its shape counts.
 */
export interface AiSdkModelOf<Version extends AiSdkVersion> {
  readonly specificationVersion: Version;
  /** Such as `anthropic.messages`. */
  readonly provider: string;
  readonly modelId: string;
  /** Makes one answer. Must stop when `options.abortSignal` is aborted. */
  doGenerate(options: AiSdkCallOptions<Version>): PromiseLike<unknown>;
  /** Makes one answer piece by piece. Must stop when `options.abortSignal` is aborted. */
  doStream(options: AiSdkCallOptions<Version>): PromiseLike<{ readonly stream: AiSdkStream }>;
}

/** A `LanguageModelV4` (AI SDK 7) or a `LanguageModelV3` (AI SDK 6). */
export type AiSdkModel = AiSdkModelOf<'v3'> | AiSdkModelOf<'v4'>;

/**
 * @throws {PromptValidationError} for a value that is not a model, such as a model's name, and for a model of another
 * version.
 */
export function assertModel(model: unknown): asserts model is AiSdkModel {
  if (typeof model !== 'object' || model === null) {
    const got = typeof model === 'string' ? `the string ${JSON.stringify(model)}` : describe(model);
    throw refuse(
      `needs a model object of an AI SDK provider, such as anthropic('claude-sonnet-4-5'); got ${got}`,
    );
  }
  // What is not there reads as undefined.
  const { specificationVersion, provider, modelId, doGenerate, doStream } = model as Partial<
    Record<keyof AiSdkModel, unknown>
  >;
  if (specificationVersion !== 'v3' && specificationVersion !== 'v4') {
    throw refuse(
      `takes models with the interface "v3" or "v4"; this one has ${describe(specificationVersion)}. Install a version of its provider package for AI SDK 6 or 7`,
    );
  }
  const isWhole =
    [provider, modelId].every((name) => typeof name === 'string' && name !== '') &&
    [doGenerate, doStream].every((method) => typeof method === 'function');
  if (!isWhole) throw refuse('needs a model with provider, modelId, doGenerate and doStream');
}

function describe(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : value === undefined ? 'none' : typeof value;
}

function refuse(problem: string): PromptValidationError {
  return new PromptValidationError(`The AI SDK adapter ${problem}.`, { details: { option: 'model' } });
}

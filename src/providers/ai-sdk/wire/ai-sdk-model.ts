import { PromptValidationError } from '../../../core/error/index.ts';
import type { AiSdkCallOptions, AiSdkVersion } from './call-options.ts';

/** The part of a stream that the adapter uses. A `ReadableStream` fits. */
export interface AiSdkStream {
  /** Called once. */
  getReader(): AiSdkStreamReader;
}

/** Reads a stream of a model, one part at a time. */
export interface AiSdkStreamReader {
  /** The next part. May reject: the answer is then truncated. */
  read(): PromiseLike<{ readonly done: boolean; readonly value?: unknown }>;
  /** Ends the stream; a pending `read` must then settle. May reject, which is ignored. */
  cancel(reason?: unknown): PromiseLike<void>;
}

/**
 * The part of an AI SDK language model that the adapter uses, for one version of the model interface. The models of
 * provider packages fit, and so do wrapped models and objects of your own. Results are validated at run time.
 */
export interface AiSdkModelOf<Version extends AiSdkVersion> {
  readonly specificationVersion: Version;
  /** Such as `anthropic.messages`. */
  readonly provider: string;
  readonly modelId: string;
  /** Makes one answer. Must stop when `options.abortSignal` is aborted. */
  doGenerate(options: AiSdkCallOptions<Version>): PromiseLike<unknown>;
  /** Streams one answer. Must stop when `options.abortSignal` is aborted. */
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
  // Missing properties read as undefined.
  const { specificationVersion, provider, modelId, doGenerate, doStream } = model as Partial<
    Record<keyof AiSdkModel, unknown>
  >;
  if (specificationVersion !== 'v3' && specificationVersion !== 'v4') {
    throw refuse(
      `accepts models with the interface "v3" or "v4"; this one has ${describe(specificationVersion)}. Install a version of its provider package for AI SDK 6 or 7`,
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

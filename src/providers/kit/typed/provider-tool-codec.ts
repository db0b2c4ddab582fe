import type { ModelTool } from '../../../core/runtime/index.ts';
import type { JsonObject } from '../../../core/schema/index.ts';
import type { ProviderTool, ToolResultItem } from '../../../core/tool/index.ts';
import type { HostedToolWire } from '../hosted/hosted-tool-codec.ts';

/** A call of a tool of the prompt that an item of an answer asks for. */
export interface ProviderCall {
  /** Name of the tool. */
  readonly name: string;
  readonly arguments: JsonObject;
  /** Why it cannot be made, for the model: it is answered with this text as a failed call. Default: it can. */
  readonly problem?: string;
}

/** What a codec may look up. */
export interface ProviderCallContext<Config extends JsonObject = JsonObject> {
  readonly tool: ProviderTool<Config>;
  /** A tool of the request, with the schema of its arguments; undefined when there is none of this name. */
  toolNamed(name: string): ModelTool | undefined;
}

/** What a choice of a tool is for. */
export type ChoicePurpose = 'force' | 'allow';

/**
 * Translates one kind of provider tool for one provider: its declaration, what answers ask in its shape, and the answer in that shape. An adapter accepts additional codecs in
 * its option `providerToolCodecs`.
 *
 * @see docs/spec/provider-tools.md §5
 */
export interface ProviderToolCodec<Config extends JsonObject = JsonObject> {
  /** The kind of provider tool, such as `openai.shell`. */
  readonly kind: string;
  /**
   * The entry of the request. May throw: the evaluation then ends in phase `render`, before any request.
   *
   * @param model the name of the model.
   */
  declare(tool: ProviderTool<Config>, model: string): HostedToolWire;
  /**
   * How a choice names the tool, in the provider's format; undefined where it cannot. Default: it cannot.
   *
   * @param purpose whether the model has to call it, or may call it and not others.
   */
  choose?(tool: ProviderTool<Config>, purpose: ChoicePurpose): JsonObject | undefined;
  /**
   * The calls that an item of an answer asks for, at least one; undefined for an item of something else. May throw: the evaluation then ends in phase `response`.
   *
   * @param item as the provider sent it; with the AI SDK the part of the answer.
   */
  readCalls(
    item: Readonly<Record<string, unknown>>,
    context: ProviderCallContext<Config>,
  ): readonly ProviderCall[] | undefined;
  /**
   * The answer to an item, in the provider's format, without what names the item; with the AI SDK the `output` of the result. Undefined where it is answered as a call of any
   * tool, or the item is of something else. Default: every item is. May throw.
   *
   * @param results those of its calls, in their order.
   */
  writeResult?(
    item: Readonly<Record<string, unknown>>,
    results: readonly ToolResultItem[],
  ): JsonObject | undefined;
}

/** Codecs by kind of provider tool. */
export type ProviderToolCodecTable = Readonly<Record<string, ProviderToolCodec>>;

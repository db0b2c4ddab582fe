import type { JsonObject } from '../../../core/schema/index.ts';
import type { Citation, HostedTool, HostedToolOutput } from '../../../core/tool/index.ts';

/** How a hosted tool is sent to a provider. Everything is in the provider's own format. */
export interface HostedToolWire {
  /** Its entries in the tool list of the request. */
  readonly tools: readonly JsonObject[];
  /**
   * Entries of the tool list that it needs beside its own, and that another hosted tool may need or bring, too: of equal ones the request has one.
   * Default: none.
   */
  readonly requires?: readonly JsonObject[];
  /** Additional data that the response should include. Default: none. */
  readonly include?: readonly string[];
  /** Headers of the request; several tools' values of one header are joined by commas. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Other keys of the request. Lists from several tools are concatenated; settings of the caller take precedence. Default:
   * none.
   */
  readonly request?: JsonObject;
  /**
   * Paths of the config that the provider does not support, such as `domains.blocked`. Default: everything is supported.
   */
  readonly unsupported?: readonly string[];
}

/** One answer of the provider, as a codec gets it. */
export interface HostedTurn {
  /** Everything the provider sent, unchanged and in order. */
  readonly items: readonly unknown[];
  /** The text of the turn, to which `citations` refer. */
  readonly text: string;
  /** The offset in `text` of this part of an item, looked up by identity; undefined when its text is not part of `text`. */
  startOf(part: unknown): number | undefined;
}

/** What a codec found in one answer. */
export interface HostedToolFindings<out Output extends HostedToolOutput = HostedToolOutput> {
  readonly invocations: readonly Output[];
  readonly citations: readonly Citation[];
}

/**
 * Converts one kind of hosted tool for one provider: serializes its config to the provider's format and parses the
 * provider's answers. An adapter accepts additional codecs in its option `hostedToolCodecs`.
 */
export interface HostedToolCodec<
  Config extends JsonObject = JsonObject,
  Output extends HostedToolOutput = HostedToolOutput,
> {
  /** The kind of hosted tool, such as `web_search`. */
  readonly kind: string;
  /**
   * Whether answers distinguish two tools of this kind, so that a prompt may have several. Default: false, several are
   * refused.
   */
  readonly allowsSeveral?: boolean;
  /**
   * With `allowsSeveral`: how answers identify a tool, as a phrase such as `label "wiki"`; a prompt with two equal
   * identities is refused. May throw: the evaluation then ends in phase `render`. Default: the unique name of the tool.
   */
  identify?(tool: HostedTool<Config, Output>): string;
  /**
   * May throw: the evaluation then ends in phase `render`, before any request. Called once per tool and adapter.
   *
   * @param model the name of the model, for codecs whose output depends on it.
   */
  serialize(tool: HostedTool<Config, Output>, model: string): HostedToolWire;
  /**
   * What one answer reports about the tool; undefined, or empty lists, when it was not used. Unknown shapes are skipped,
   * not refused. May throw: the evaluation then ends in phase `response`, as it does when the return value is neither
   * findings nor undefined.
   */
  parseOutput(turn: HostedTurn, tool: HostedTool<Config, Output>): HostedToolFindings<Output> | undefined;
}

/** Codecs by kind of hosted tool. */
export type HostedToolCodecTable = Readonly<Record<string, HostedToolCodec>>;

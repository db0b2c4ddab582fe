import { assertOptions } from '../../core/error/index.ts';
import type { JsonObject } from '../../core/schema/index.ts';
import type { HostedTool, HostedToolOutput } from '../../core/tool/index.ts';
import type {
  HostedToolCodec,
  HostedToolFindings,
  HostedToolWire,
  HostedTurn,
} from '../../providers/kit/index.ts';

/** Options of {@link mockHostedToolCodec}. */
export interface MockHostedToolCodecOptions<
  Config extends JsonObject = JsonObject,
  Output extends HostedToolOutput = HostedToolOutput,
> {
  /** The kind of hosted tools that the codec is for. */
  readonly kind: string;
  /** Default: false, a prompt has one tool of the kind. */
  readonly allowsSeveral?: boolean;
  /** How a tool is serialized. May throw, as a codec may. Default: one tool of this kind with its name and config. */
  readonly serialize?: (tool: HostedTool<Config, Output>, model: string) => HostedToolWire;
  /**
   * Findings about a tool: a list has those of the first, second… answer, and later answers have none.
   * A function may throw, as a codec may. Default: nothing.
   */
  readonly outputs?:
    | readonly Partial<HostedToolFindings<Output>>[]
    | ((turn: HostedTurn, tool: HostedTool<Config, Output>) => Partial<HostedToolFindings<Output>>);
}

/** A codec that records its inputs. */
export interface MockHostedToolCodec<
  Config extends JsonObject = JsonObject,
  Output extends HostedToolOutput = HostedToolOutput,
> extends HostedToolCodec<Config, Output> {
  /** Each serialized tool, with the name of the model. An adapter serializes each tool once. */
  readonly serialized: readonly { readonly tool: HostedTool<Config, Output>; readonly model: string }[];
  /** Each parsed answer, for each tool. */
  readonly parsed: readonly { readonly tool: HostedTool<Config, Output>; readonly turn: HostedTurn }[];
}

/**
 * A codec for tests of prompts with hosted tools: it returns fixed findings and records its inputs. Pass it in
 * `hostedToolCodecs` of any adapter, for example `scriptedAdapter`.
 */
export function mockHostedToolCodec<
  Config extends JsonObject = JsonObject,
  Output extends HostedToolOutput = HostedToolOutput,
>(options: MockHostedToolCodecOptions<Config, Output>): MockHostedToolCodec<Config, Output> {
  assertOptions('mockHostedToolCodec()', options, {
    allowsSeveral: 'boolean',
    outputs: 'any',
    serialize: 'any',
    kind: 'string!',
  });
  const { kind, allowsSeveral = false, serialize = serializeConfig, outputs = [] } = options;
  const serialized: MockHostedToolCodec<Config, Output>['serialized'][number][] = [];
  const parsed: MockHostedToolCodec<Config, Output>['parsed'][number][] = [];
  return {
    kind,
    allowsSeveral,
    serialized,
    parsed,
    serialize: (tool, model) => {
      serialized.push({ tool, model });
      return serialize(tool, model);
    },
    parseOutput: (turn, tool) => {
      const index = parsed.filter((earlier) => earlier.tool === tool).length;
      parsed.push({ tool, turn });
      const { invocations = [], citations = [] } =
        (typeof outputs === 'function' ? outputs(turn, tool) : outputs[index]) ?? {};
      return { invocations, citations };
    },
  };
}

function serializeConfig({ kind, name, config }: HostedTool): HostedToolWire {
  return { tools: [{ type: kind, name, config }] };
}

import type { ModelRequest, ModelTool } from '../../runtime/index.ts';
import {
  adviseSchema,
  type JsonSchema,
  projectSchema,
  type RequestLimits,
  type SchemaDialect,
  type SchemaProjection,
} from '../../schema/index.ts';
import type { Logger } from '../../tool/index.ts';

/** A tool with its schema as the provider takes it. */
export interface ProjectedTool {
  readonly tool: ModelTool;
  readonly schema: SchemaProjection;
}

/** The schemas of one request as the provider takes them. */
export interface ProjectedRequest {
  /** In the order of the request. */
  readonly tools: readonly ProjectedTool[];
  /** Undefined when the request asks for no structured answer. */
  readonly answer: SchemaProjection | undefined;
}

/** The schema of one tool or answer: as strict as it can be, and as it is sent in a request without room for that. */
interface Known {
  readonly own: SchemaProjection;
  crowdedOut?: SchemaProjection;
}

/**
 * The schemas of one adapter in its provider's dialect, each projected once. What the provider does not hold a model to is
 * logged, once for each schema.
 *
 * @internal
 */
export class SchemaProjections {
  readonly #dialect: SchemaDialect;
  readonly #known = new WeakMap<ModelTool | JsonSchema, Known>();

  constructor(dialect: SchemaDialect) {
    this.#dialect = dialect;
  }

  /**
   * The schemas of a request. Where the provider limits what those of one request may hold together, the answer comes
   * first and then the tools in their order, so that a tool added behind others changes nothing about these. What finds no
   * room is sent, but not strict.
   */
  project(
    { tools, outputSchema }: Pick<ModelRequest, 'tools' | 'outputSchema'>,
    logger: Logger,
  ): ProjectedRequest {
    const room = new RequestRoom(this.#dialect.requestLimits ?? {});
    const answer =
      outputSchema === undefined
        ? undefined
        : this.#fit(outputSchema, outputSchema, 0, 'the final answer', room, logger);
    return {
      answer,
      tools: tools.map((tool) => ({
        tool,
        schema: this.#fit(tool, tool.inputSchema, 1, `the tool "${tool.name}"`, room, logger),
      })),
    };
  }

  #fit(
    key: ModelTool | JsonSchema,
    schema: JsonSchema,
    tools: number,
    whose: string,
    room: RequestRoom,
    logger: Logger,
  ): SchemaProjection {
    const known = this.#known.get(key) ?? { own: this.#project(schema, whose, logger) };
    this.#known.set(key, known);
    if (!known.own.strict || room.take({ ...known.own.counts, tools })) return known.own;
    if (known.crowdedOut === undefined) {
      const note = 'the strict schemas of the request would hold more together than the provider takes';
      known.crowdedOut = adviseSchema(schema, [{ path: '', keyword: '', note }]);
      this.#report(known.crowdedOut, whose, logger);
    }
    return known.crowdedOut;
  }

  #project(schema: JsonSchema, whose: string, logger: Logger): SchemaProjection {
    const projection = projectSchema(schema, this.#dialect);
    this.#report(projection, whose, logger);
    return projection;
  }

  #report({ strict, losses }: SchemaProjection, whose: string, logger: Logger): void {
    if (losses.length === 0) return;
    const { provider, otherConstraints } = this.#dialect;
    if (strict) {
      logger.info(`${provider} cannot hold every constraint of ${whose}; values are checked here.`, {
        losses,
      });
      return;
    }
    // Where constraints are never told in words, many schemas are expected to be sent as they are.
    const level = otherConstraints === 'told' ? 'warn' : 'info';
    logger[level](`${provider} cannot be strict about the schema of ${whose}; values are checked here.`, {
      losses,
    });
  }
}

/** What the strict schemas of one request may still hold. */
class RequestRoom {
  #left: Required<RequestLimits>;

  constructor({
    tools = Number.POSITIVE_INFINITY,
    optionalProperties = Number.POSITIVE_INFINITY,
    unions = Number.POSITIVE_INFINITY,
  }: RequestLimits) {
    this.#left = { tools, optionalProperties, unions };
  }

  /** @returns false, and takes nothing, when there is too little. */
  take({ tools, optionalProperties, unions }: Required<RequestLimits>): boolean {
    const left = {
      tools: this.#left.tools - tools,
      optionalProperties: this.#left.optionalProperties - optionalProperties,
      unions: this.#left.unions - unions,
    };
    if (Math.min(left.tools, left.optionalProperties, left.unions) < 0) return false;
    this.#left = left;
    return true;
  }
}

import type { ModelRequest, ModelTool } from '../../runtime/index.ts';
import {
  adviseSchema,
  type JsonSchema,
  projectSchema,
  type SchemaDialect,
  type SchemaProjection,
  type SchemaRequestLimits,
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

/**
 * Which tools of a request are sent as strict: each that can be, all of them or none, or none at all. The answer of a request is
 * strict where it can be, whichever this is.
 */
export type StrictTools = 'each' | 'all-or-none' | 'none';

/** The schema of one tool or answer: as strict as it can be, and as it is sent where it must not be strict. */
interface Known {
  readonly own: SchemaProjection;
  advised?: SchemaProjection;
}

const noRoom = 'the strict schemas of the request would hold more together than the provider takes';
const notAlone = 'other tools of the request cannot be strict, and the provider is not sent both kinds';
const notAsked = 'the adapter is set to send no strict tools';

/**
 * Projects the schemas of an adapter's requests to its provider's dialect, each schema once. Create one for each adapter. A
 * constraint that the provider does not enforce is logged, once for each schema.
 */
export class ToolSchemas {
  readonly #dialect: SchemaDialect;
  readonly #strictTools: StrictTools;
  readonly #known = new WeakMap<ModelTool | JsonSchema, Known>();

  /** @param strictTools Default: `'each'`. */
  constructor(dialect: SchemaDialect, strictTools: StrictTools = 'each') {
    this.#dialect = dialect;
    this.#strictTools = strictTools;
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
    const fitted = tools.map((tool) => ({
      tool,
      schema: this.#fit(tool, tool.inputSchema, 1, whoseTool(tool), room, logger),
    }));
    return { answer, tools: this.#asOne(fitted, logger) };
  }

  /** The tools, none of them strict where all of them would have to be. */
  #asOne(tools: readonly ProjectedTool[], logger: Logger): readonly ProjectedTool[] {
    const rule = this.#strictTools;
    const mayBeStrict =
      rule === 'each' || (rule === 'all-or-none' && tools.every(({ schema }) => schema.strict));
    if (mayBeStrict) return tools;
    const note = rule === 'none' ? notAsked : notAlone;
    return tools.map(({ tool, schema }) => ({
      tool,
      schema: schema.strict ? this.#advise(tool, tool.inputSchema, note, whoseTool(tool), logger) : schema,
    }));
  }

  #fit(
    key: ModelTool | JsonSchema,
    schema: JsonSchema,
    tools: number,
    whose: string,
    room: RequestRoom,
    logger: Logger,
  ): SchemaProjection {
    const { own } = this.#knownOf(key, schema, whose, logger);
    if (!own.strict || room.take({ ...own.counts, tools })) return own;
    return this.#advise(key, schema, noRoom, whose, logger);
  }

  /** The schema as advice, for a reason that is not its own; the first reason is logged. */
  #advise(
    key: ModelTool | JsonSchema,
    schema: JsonSchema,
    note: string,
    whose: string,
    logger: Logger,
  ): SchemaProjection {
    const known = this.#knownOf(key, schema, whose, logger);
    if (known.advised === undefined) {
      known.advised = adviseSchema(schema, [{ path: '', keyword: '', note }]);
      this.#report(known.advised, whose, logger);
    }
    return known.advised;
  }

  #knownOf(key: ModelTool | JsonSchema, schema: JsonSchema, whose: string, logger: Logger): Known {
    const known = this.#known.get(key) ?? { own: this.#project(schema, whose, logger) };
    this.#known.set(key, known);
    return known;
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
    const level = otherConstraints === 'described' ? 'warn' : 'info';
    logger[level](`${provider} cannot be strict about the schema of ${whose}; values are checked here.`, {
      losses,
    });
  }
}

function whoseTool({ name }: ModelTool): string {
  return `the tool "${name}"`;
}

/** What the strict schemas of one request may still hold. */
class RequestRoom {
  #left: Required<SchemaRequestLimits>;

  constructor({
    tools = Number.POSITIVE_INFINITY,
    optionalProperties = Number.POSITIVE_INFINITY,
    unions = Number.POSITIVE_INFINITY,
  }: SchemaRequestLimits) {
    this.#left = { tools, optionalProperties, unions };
  }

  /** @returns false, and takes nothing, when there is too little. */
  take({ tools, optionalProperties, unions }: Required<SchemaRequestLimits>): boolean {
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

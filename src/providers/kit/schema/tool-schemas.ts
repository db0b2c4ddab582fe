import type { ModelRequest, ModelTool } from '../../../core/runtime/index.ts';
import {
  adviseSchema,
  type JsonSchema,
  projectSchema,
  type SchemaDialect,
  type SchemaProjection,
  type SchemaRequestLimits,
} from '../../../core/schema/index.ts';
import type { Logger } from '../../../core/tool/index.ts';

/** A tool with its schema in the provider's dialect. */
export interface ProjectedTool {
  readonly tool: ModelTool;
  readonly schema: SchemaProjection;
}

/** The schemas of one request in the provider's dialect. */
export interface ProjectedRequest {
  /** In the order of the request. */
  readonly tools: readonly { [Name in keyof ProjectedTool]: ProjectedTool[Name] }[];
  /** Undefined when the request has no output schema. */
  readonly answer: SchemaProjection | undefined;
}

/**
 * Which tools of a request are sent as strict: each that can be, all or none, or none. The output schema is strict wherever
 * it can be, independent of this option.
 */
export type StrictTools = 'each' | 'all-or-none' | 'none';

/** The projection of one tool or output schema: as strict as possible, and as sent where it must not be strict. */
interface Known {
  readonly own: SchemaProjection;
  advised?: SchemaProjection;
}

const noRoom = 'the strict schemas exceed the limits of the provider for one request';
const notAlone =
  'other tools of the request cannot be strict, and the provider does not accept a mix of both';
const notAsked = 'the adapter is configured to send no strict tools';

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
   * The schemas of a request. Where the provider limits the total of one request, the output schema is counted first and
   * then the tools in order, so that appending a tool does not change those before it. Schemas over the limit are sent, but
   * not strict.
   */
  project(
    { tools, outputSchema }: Pick<ModelRequest, 'tools' | 'outputSchema'>,
    logger: Logger,
  ): { [Name in keyof ProjectedRequest]: ProjectedRequest[Name] } {
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

  /** The tools; none is strict if all would have to be and one cannot. */
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

  /** The schema as non-strict for a reason outside the schema; only the first reason is logged. */
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
      logger.info(
        `${provider} cannot enforce every constraint of ${whose}; values are validated after the answer.`,
        {
          losses,
        },
      );
      return;
    }
    // In dialects that never describe constraints in text, many schemas are expected to be sent unchanged.
    const level = otherConstraints === 'described' ? 'warn' : 'info';
    logger[level](
      `${provider} cannot enforce the schema of ${whose}; values are validated after the answer.`,
      {
        losses,
      },
    );
  }
}

function whoseTool({ name }: ModelTool): string {
  return `the tool "${name}"`;
}

/** The remaining limits for strict schemas of one request. */
class RequestRoom {
  #left: Required<SchemaRequestLimits>;

  constructor({
    tools = Number.POSITIVE_INFINITY,
    optionalProperties = Number.POSITIVE_INFINITY,
    unions = Number.POSITIVE_INFINITY,
  }: SchemaRequestLimits) {
    this.#left = { tools, optionalProperties, unions };
  }

  /** @returns false, without taking anything, when a limit would be exceeded. */
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

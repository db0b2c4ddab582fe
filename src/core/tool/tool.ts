import {
  assertOptions,
  describeError,
  integer,
  maxTimerMs,
  number,
  type OptionsOf,
  oneOf,
  PromptValidationError,
} from '../error/index.ts';
import { countCharacters, present } from '../internal/index.ts';
import {
  assertObjectSchema,
  type CompiledSchema,
  compileSchema,
  type DeepReadonly,
  type InferInput,
  type InferOutput,
  mapPropertyDescriptions,
  type Schema,
  withInputJsonSchema,
} from '../schema/index.ts';
import { defineSystemEvent } from '../session/index.ts';
import type { ToolContext } from './context.ts';
import { checkExamples } from './examples.ts';
import { assertDescription, assertToolName, maxOwnDescriptionCharacters } from './names.ts';
import type { ToolFiles } from './tool-files.ts';
import type { ToolResult } from './tool-result.ts';
import type { AnyTool, ReconcileContext, Tool, ToolEffects, ToolExample } from './tool-types.ts';

/** What a schema accepts; undefined where there is no schema. */
type InputOf<S> = S extends Schema ? InferInput<S> : undefined;
/** What a schema yields; undefined where there is no schema. */
type OutputOf<S> = S extends Schema ? InferOutput<S> : undefined;
/** What a handler may return as value: what the output schema accepts, anything without one. */
export type ReturnedValue<S> = S extends Schema ? DeepReadonly<InferInput<S>> : unknown;
/** The value of a success: what the output schema yields, anything without one. */
type Value<S> = S extends Schema ? InferOutput<S> : unknown;

/** Options of {@link tool}. */
export interface ToolOptions<PS extends Schema | undefined, RS extends Schema | undefined> {
  /** 1 to 64 of `a-z`, `0-9`, `_`, `-`; unique within a prompt. */
  readonly name: string;
  /** 1 to 200 characters, for the model; surrounding blanks are taken off. */
  readonly description: string;
  /** An object schema. Default: the tool takes no params. */
  readonly inputSchema?: PS;
  /** What the value of a success must be. Default: any plain JSON. */
  readonly outputSchema?: RS;
  /**
   * Does the work. May throw: the call fails and is rolled back. Default: the tool is declared only, a call to it gets a
   * failed result.
   */
  readonly execute?: (
    params: OutputOf<PS>,
    context: ToolContext,
  ) => ToolResult<ReturnedValue<RS>> | Promise<ToolResult<ReturnedValue<RS>>>;
  /** Sample calls, checked against both schemas. `output` is what the handler would return. Default: none. */
  readonly examples?: readonly ToolExample<DeepReadonly<InputOf<PS>>, ReturnedValue<RS>>[];
  /** The value of a success as text for the model. May throw. Default: JSON without nulls in a stable order. */
  readonly render?: (value: Value<RS>) => string;
  /**
   * Says in a few words what a call is about: what people read of it in reports, in live lines and on the page of a record, in place of the arguments. It gets the arguments
   * as the model sent them, before the input schema has checked them. Must be synchronous and change nothing. It is shown on one line, without secrets and cut to 80 characters. May throw: the arguments are
   * shown then, as they are for an empty text and for a call that is rejected. Default: up to three arguments.
   */
  readonly subject?: (params: DeepReadonly<InputOf<PS>>) => string;
  /** Default: `'external'`. */
  readonly effects?: ToolEffects;
  /**
   * Whether running the call twice does no more than running it once. A run that is resumed after a crash runs such a call again. Default: false.
   */
  readonly idempotent?: boolean;
  /**
   * Names what a call does outside, such as `invoice/4711`: of all calls of the tool with one name, in all runs of a journal, one does it. A later call with the same arguments succeeds with
   * what the first one returned, and its handler does not run; one with other arguments fails. Where a call may have done it, `reconcile` is asked. Must be pure: it depends on the params alone. The name has 1 to
   * 512 characters. Needs effects `'external'` and a journal with a ledger; cannot be combined with `idempotent` and `reenters`. Not with a
   * journal on the database that other calls write to at the same time, `sqliteJournal({ database })`: what it knows of a call is durable only with theirs. Default: each call does its own.
   *
   * @see docs/spec/tools.md §9
   */
  readonly once?: (params: OutputOf<PS>) => string;
  /**
   * Finds out what became of a call with effects outside that began before a crash, when the run is resumed from its journal. Returns what the
   * handler would have returned, a failure when the call had no effect, undefined when that cannot be known. Must change nothing; may throw: the call then
   * stays in doubt. Default: the call is in doubt, and the model reads so.
   */
  readonly reconcile?: (
    params: OutputOf<PS>,
    context: ReconcileContext,
  ) => ToolResult<ReturnedValue<RS>> | undefined | Promise<ToolResult<ReturnedValue<RS>> | undefined>;
  /**
   * Whether the handler of an interrupted call runs again when the run is resumed, although it has effects outside: everything that it does is done by calls
   * of evaluations inside it, which are taken over, or are in doubt, one by one. Default: false.
   */
  readonly reenters?: boolean;
  /**
   * Whether result and changes depend on nothing but arguments, session, files and what evaluations inside the handler answer: not on
   * time, chance, network, other resources or the user (`context.askUser()`, who cannot be asked in a replay). A replay runs the handler of such a tool again, and answers calls of others from the
   * record. Cannot be true for a tool with effects `'external'`. Default: false.
   */
  readonly pure?: boolean;
  /** Time limit for one attempt in milliseconds, above 0 and at most 2,147,483,647. Default: none of its own. */
  readonly timeoutMs?: number;
  /**
   * How many characters of a result the model may get, message and value together: 1 or more, `Infinity` for no limit. A longer success fails the call, which is
   * rolled back; a longer failure is cut off. Default: that of the run (`limits.maxResultCharacters` of `evaluate`).
   */
  readonly maxResultCharacters?: number;
  /** Default: true. */
  readonly acceptsOverrides?: boolean;
  /** What the runtime knows of the tool and files. Default: nothing. @internal */
  readonly '~files'?: { readonly [Name in keyof ToolFiles]: ToolFiles[Name] };
}

/** Those whose error has the name of the tool are checked where it is made. */
const toolChecks = {
  name: 'any',
  description: 'any',
  inputSchema: 'any',
  outputSchema: 'any',
  execute: 'function',
  examples: 'array',
  render: 'function',
  subject: 'function',
  effects: oneOf(['read', 'state', 'external']),
  idempotent: 'any',
  once: 'function',
  reconcile: 'function',
  reenters: 'any',
  pure: 'any',
  timeoutMs: number({ above: 0, max: maxTimerMs }),
  maxResultCharacters: integer({ min: 1, orInfinity: true }),
  acceptsOverrides: 'any',
  '~files': 'any',
} satisfies OptionsOf<ToolOptions<Schema, Schema>>;

/**
 * Declares a tool. Params and result are inferred from the schemas.
 *
 * ```ts
 * import { ToolResult, tool } from 'weakincentives';
 * import { z } from 'zod';
 *
 * const people = new Map([['p-17', 'Ada']]);
 * export const lookUp = tool({
 *   name: 'look_up_person',
 *   description: 'Finds the name of a person.',
 *   inputSchema: z.object({ id: z.string() }),
 *   effects: 'read',
 *   execute: ({ id }) => {
 *     const name = people.get(id);
 *     // A failure that the model can act on.
 *     if (name === undefined) return ToolResult.error(`There is no person "${id}". Ids look like p-17.`);
 *     return ToolResult.ok(name);
 *   },
 * });
 * ```
 *
 * @throws {PromptValidationError} for a name, description, schema, example, handler, effects, time limit or limit of results that cannot
 * be used; `details.tool` names the tool, `details.placeholder` the option.
 * @see docs/spec/tools.md §1
 */
export function tool<PS extends Schema | undefined = undefined, RS extends Schema | undefined = undefined>(
  options: ToolOptions<PS, RS>,
): Tool<OutputOf<PS>, Value<RS>, InputOf<PS>> {
  assertOptions('tool()', options, toolChecks, (message, { details }) => {
    // What is not an object has no name.
    const { name } = Object(options) as Partial<ToolOptions<PS, RS>>;
    const named = typeof name === 'string' ? { tool: name } : {};
    return new PromptValidationError(message, {
      details: { ...details, ...named, placeholder: String(details['option']) },
    });
  });
  return makeTool(options, maxOwnDescriptionCharacters);
}

/** Most characters of a description that a server of tools sends. */
export const maxForeignDescriptionCharacters = 4096;

/**
 * As {@link tool}, for a tool that someone else describes, such as a server of the Model Context Protocol: the description has up to 4,096 characters.
 *
 * @throws {PromptValidationError} as {@link tool}.
 * @see docs/spec/mcp.md §6
 */
export function foreignTool<PS extends Schema | undefined = undefined>(
  options: ToolOptions<PS, undefined>,
): Tool<OutputOf<PS>, unknown, InputOf<PS>> {
  return makeTool(options, maxForeignDescriptionCharacters);
}

function makeTool<PS extends Schema | undefined, RS extends Schema | undefined>(
  options: ToolOptions<PS, RS>,
  maxDescriptionCharacters: number,
): Tool<OutputOf<PS>, Value<RS>, InputOf<PS>> {
  const { name, inputSchema, outputSchema, execute, render, timeoutMs, effects = 'external' } = options;
  const { maxResultCharacters, once, reconcile, subject } = options;
  assertToolName(name);
  const description = assertDescription(
    options.description,
    `tool "${name}"`,
    { tool: name },
    maxDescriptionCharacters,
  );
  const compiledInput = compile(inputSchema, 'input', name);
  const compiledOutput = compile(outputSchema, 'output', name);
  if (options.pure === true && effects === 'external') {
    throw invalid(
      name,
      'pure',
      "a tool with effects 'external' cannot be pure; declare effects 'read' or 'state' if it changes nothing outside",
    );
  }
  if (once !== undefined) assertOnceFits(name, effects, options);
  const made = {
    type: 'tool',
    name,
    description,
    ...present({ inputSchema, compiledInput, outputSchema, compiledOutput, execute }),
    examples: checkExamples(options.examples ?? [], { name, compiledInput, compiledOutput }),
    ...present({ render, subject }),
    effects,
    idempotent: options.idempotent ?? false,
    reenters: options.reenters === true,
    ...present({ once, reconcile }),
    pure: options.pure === true,
    ...present({ timeoutMs, maxResultCharacters, '~files': options['~files'] }),
    acceptsOverrides: options.acceptsOverrides ?? true,
    succeeded: defineSystemEvent(`tool.${name}.succeeded`),
  };
  // The schemas carry the types of params and value; what is assembled here holds them only as they were compiled. What a handler
  // returns passes the output schema before anyone reads it as the schema's output.
  return Object.freeze(made) as Tool<OutputOf<PS>, Value<RS>, InputOf<PS>>;
}

/** @throws {PromptValidationError} for what says otherwise how often the handler may run. */
function assertOnceFits(
  name: string,
  effects: ToolEffects,
  { idempotent, reenters }: Pick<ToolOptions<undefined, undefined>, 'idempotent' | 'reenters'>,
): void {
  if (effects !== 'external') {
    throw invalid(
      name,
      'once',
      `a tool with effects '${effects}' changes nothing outside, so nothing has to be done once; leave out once`,
    );
  }
  if (idempotent !== true && reenters !== true) return;
  const other = idempotent === true ? 'idempotent' : 'reenters';
  throw invalid(
    name,
    'once',
    `with ${other} its handler runs again after a crash, and with once it does not; leave out one of them`,
  );
}

function compile(
  schema: Schema | undefined,
  side: 'input' | 'output',
  name: string,
): CompiledSchema | undefined {
  if (schema === undefined) return undefined;
  try {
    if (side === 'input') assertObjectSchema(schema);
    const compiled = compileSchema(schema);
    // Read once here, so that a schema without a JSON Schema form is found now and not in the middle of a call.
    void compiled.inputJsonSchema;
    return compiled;
  } catch (cause) {
    const problem = `the ${side} schema cannot be used: ${describeError(cause)}`;
    throw invalid(name, `${side}Schema`, problem, cause);
  }
}

function invalid(name: string, option: string, problem: string, cause?: unknown): PromptValidationError {
  return new PromptValidationError(`Tool "${name}" cannot be made: ${problem.replace(/\.$/, '')}.`, {
    cause,
    details: { tool: name, placeholder: option },
  });
}

/** Replacements for the text of a tool; an absent one keeps the text of its code. */
export interface ToolTexts {
  readonly description?: string;
  /** Path of a parameter (see `mapPropertyDescriptions`) → its description; an empty text for none. */
  readonly params?: ReadonlyMap<string, string>;
  readonly examples?: readonly ToolExample[];
}

/**
 * The same tool with other text: input, behavior and output do not change. A description may have as many characters as the one that it replaces.
 * @throws {PromptValidationError} for a description or an example that `tool()` would refuse too.
 */
export function overrideTool(base: AnyTool, { description, params, examples }: ToolTexts): AnyTool {
  const { name, compiledInput, compiledOutput } = base;
  const owner = { name, compiledInput, compiledOutput };
  const maxCharacters = Math.max(maxOwnDescriptionCharacters, countCharacters(base.description));
  return Object.freeze({
    ...base,
    ...present({
      description:
        description === undefined
          ? undefined
          : assertDescription(description, `tool "${name}"`, { tool: name }, maxCharacters),
      compiledInput:
        params === undefined || compiledInput === undefined ? undefined : redescribed(compiledInput, params),
      examples: examples === undefined ? undefined : checkExamples(examples, owner),
    }),
  });
}

function redescribed(compiled: CompiledSchema, params: ReadonlyMap<string, string>): CompiledSchema {
  const described = mapPropertyDescriptions(compiled.inputJsonSchema, (path, description) => {
    const text = params.get(path);
    return text === undefined ? description : text === '' ? undefined : text;
  });
  return withInputJsonSchema(compiled, described);
}

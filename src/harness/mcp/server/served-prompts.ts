import type { GetPromptResult, ListPromptsResult } from '@modelcontextprotocol/server';
import { PromptRenderError } from '../../../core/error/index.ts';
import type { ToolRuntime } from '../../../core/evaluation/index.ts';
import { isRecord, present, quotedList } from '../../../core/internal/index.ts';
import { type ChoosableParam, choosableSections, chosenText } from '../../../core/prompt/index.ts';
import type { Session } from '../../../core/session/index.ts';
import type { McpServerSdk } from '../wire/sdk.ts';

type Sections = NonNullable<ToolRuntime['~offered']>['sections'];

/** What {@link ServedPrompts} works with. */
export interface ServedPromptsOptions {
  readonly sdk: McpServerSdk;
  readonly sections: Sections;
  readonly session: Session;
}

/**
 * The sections with params as prompts, which people choose. The arguments are params; those left out are the params that are served.
 *
 * @see docs/spec/mcp.md §3
 */
export class ServedPrompts {
  readonly #options: ServedPromptsOptions;

  constructor(options: ServedPromptsOptions) {
    this.#options = options;
  }

  list(): ListPromptsResult {
    const { sections, session } = this.#options;
    return {
      prompts: choosableSections(sections.source, session).map(({ params, path, title }) => ({
        name: path,
        title,
        arguments: params.map(({ description, isRequired, name }) => ({
          name,
          required: isRequired,
          ...present({ description }),
        })),
      })),
    };
  }

  /** @throws an error of the protocol for an unknown name or argument, and for params that do not fit. */
  async get(name: string, given: Readonly<Record<string, string>>): Promise<GetPromptResult> {
    const { sections, session } = this.#options;
    const choices = choosableSections(sections.source, session);
    const chosen = choices.find(({ path }) => path === name);
    if (chosen === undefined)
      throw this.#invalid(
        `There is no prompt "${name}". The prompts are: ${quotedList(choices.map(({ path }) => path))}.`,
      );
    const names = chosen.params.map((param) => param.name);
    const unknown = Object.keys(given).filter((key) => !names.includes(key));
    if (unknown.length > 0)
      throw this.#invalid(
        `The prompt "${name}" has no ${quotedList(unknown)}. Its arguments are: ${quotedList(names)}.`,
      );
    try {
      const text = await chosenText(
        sections.source,
        { path: name, given: paramsOf(chosen.params, given) },
        session,
      );
      return { messages: [{ role: 'user', content: { type: 'text', text } }] };
    } catch (error) {
      // Without a cause it is about the params; what a function of a section threw stays inside.
      if (PromptRenderError.isInstance(error) && error.cause === undefined)
        throw this.#invalid(error.message);
      throw error;
    }
  }

  #invalid(message: string): Error {
    const { ProtocolError, ProtocolErrorCode } = this.#options.sdk;
    return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
  }
}

/** Arguments of a prompt are texts; where the schema takes none, the text is JSON. */
function paramsOf(
  params: readonly ChoosableParam[],
  given: Readonly<Record<string, string>>,
): Record<string, unknown> {
  return Object.fromEntries(
    params.flatMap(({ name, schemas }) => {
      const text = given[name];
      if (text === undefined) return [];
      return [[name, schemas.some(takesText) ? text : valueOf(text)]];
    }),
  );
}

/** What is not JSON is left to the schema, which says what is wrong with it. */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function takesText(schema: unknown): boolean {
  if (!isRecord(schema)) return true;
  const { anyOf, enum: values, oneOf, type } = schema;
  if (typeof type === 'string') return type === 'string';
  if (Array.isArray(type)) return type.includes('string');
  if (Array.isArray(values)) return values.some((value) => typeof value === 'string');
  const members = [anyOf, oneOf].find((each) => Array.isArray(each));
  return !Array.isArray(members) || members.some(takesText);
}

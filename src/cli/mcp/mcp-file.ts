import { readFileSync } from 'node:fs';
import { isRecord, present, quotedList, withoutByteOrderMark } from '../../core/internal/index.ts';
import type { McpMountedServer, McpSectionOptions } from '../../harness/mcp/index.ts';
import { errorMessage, orUsageError, UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';
import { splitWords } from '../process/split-words.ts';
import { substituteVariables } from '../process/substitute-variables.ts';

/** A server that a file names. */
export interface NamedMcpServer
  extends Pick<McpSectionOptions, 'include' | 'effects' | 'idempotent' | 'trustAnnotations' | 'pin'> {
  /** Its name in the file. */
  readonly name: string;
  readonly server: McpMountedServer;
}

/** What a file of servers says. */
export interface McpFile {
  readonly servers: readonly NamedMcpServer[];
  /** What has no effect, one line each, without a period. */
  readonly notes: readonly string[];
}

/** Keys that other programs take, too; and those of the options of `openMcpSection()`. */
const knownKeys: ReadonlySet<string> = new Set([
  ...['type', 'command', 'args', 'env', 'cwd', 'url', 'headers', 'disabled'],
  ...['include', 'effects', 'idempotent', 'trustAnnotations', 'pin'],
]);

const types: readonly unknown[] = [undefined, 'stdio', 'http', 'streamable-http'];

/**
 * Reads a file of servers: `{ "mcpServers": { NAME: { command, args, env } or { url, headers } } }`. `${VAR}` and `${VAR:-default}` in its texts are replaced by variables of the
 * environment.
 *
 * @throws {UsageError} for a file that cannot be read or is not JSON, an entry that does not describe a server, and a variable that is not set.
 */
export function readMcpFile(path: string, variables: Readonly<Record<string, string | undefined>>): McpFile {
  const reader = new FileReader(path, variables);
  return reader.read();
}

class FileReader {
  readonly #path: string;
  readonly #variables: Readonly<Record<string, string | undefined>>;
  readonly #notes: string[] = [];

  constructor(path: string, variables: Readonly<Record<string, string | undefined>>) {
    this.#path = path;
    this.#variables = variables;
  }

  read(): McpFile {
    const content = this.#parse();
    const named = isRecord(content) ? content['mcpServers'] : undefined;
    if (!isRecord(named)) throw this.#refuse('has no object "mcpServers"');
    const others = Object.keys(Object(content)).filter((key) => key !== 'mcpServers');
    if (others.length > 0) this.#note(`${quotedList(others)} in ${this.#shown} has no effect`);
    const servers = Object.entries(named).flatMap(([name, entry]) => this.#server(name, entry));
    return { servers, notes: this.#notes };
  }

  #parse(): unknown {
    const text = orUsageError(
      () => readFileSync(this.#path, 'utf8'),
      (error) => `${this.#shown} cannot be read: ${errorMessage(error)}.`,
    );
    return orUsageError(
      () => JSON.parse(withoutByteOrderMark(text)),
      () => `${this.#shown} is not JSON.`,
    );
  }

  #server(name: string, entry: unknown): readonly NamedMcpServer[] {
    const of = `the server "${printable(name)}"`;
    if (!isRecord(entry)) throw this.#refuse(`has something else than an object for ${of}`);
    if (entry['disabled'] === true) {
      this.#note(`${of} of ${this.#shown} is disabled`);
      return [];
    }
    const unknown = Object.keys(entry).filter((key) => !knownKeys.has(key));
    if (unknown.length > 0) this.#note(`${quotedList(unknown)} of ${of} in ${this.#shown} has no effect`);
    if (entry['type'] === 'sse') {
      throw this.#refuse(
        `wants the transport "sse" for ${of}, which is not supported; use the address of its streamable HTTP`,
      );
    }
    if (!types.includes(entry['type']))
      throw this.#refuse(`has an unknown type for ${of}: use stdio or http`);
    const { effects, idempotent, include, pin, trustAnnotations } = entry;
    const rules = { effects, idempotent, include, pin, trustAnnotations };
    const given = Object.entries(rules).filter(([, value]) => value !== undefined);
    // What the rules are is checked where the server is opened.
    return [
      {
        name,
        server: this.#place(entry, of),
        ...(Object.fromEntries(given) as Omit<NamedMcpServer, 'name' | 'server'>),
      },
    ];
  }

  #place(entry: Readonly<Record<string, unknown>>, of: string): McpMountedServer {
    const { args, command, cwd, env, headers, url } = entry;
    if (url !== undefined) {
      if (command !== undefined) throw this.#refuse(`has both a command and a url for ${of}`);
      return {
        url: this.#text(url, `the url of ${of}`),
        ...present({ headers: headers === undefined ? undefined : this.#texts(headers, `headers of ${of}`) }),
      };
    }
    const line = splitWords(typeof command === 'string' ? command : '');
    if (line === undefined) throw this.#refuse(`has a quote without its end in the command of ${of}`);
    const [program, ...words] = line.map((word) => this.#text(word, `the command of ${of}`));
    if (program === undefined) throw this.#refuse(`has neither a command nor a url for ${of}`);
    if (args !== undefined && !Array.isArray(args)) throw this.#refuse(`has no list for the args of ${of}`);
    const further: readonly unknown[] = args ?? [];
    return {
      command: program,
      args: [...words, ...further.map((each) => this.#text(each, `args of ${of}`))],
      ...present({
        env: env === undefined ? undefined : this.#texts(env, `env of ${of}`),
        cwd: cwd === undefined ? undefined : this.#text(cwd, `cwd of ${of}`),
      }),
    };
  }

  #texts(value: unknown, what: string): Readonly<Record<string, string>> {
    if (!isRecord(value)) throw this.#refuse(`has no object for ${what}`);
    return Object.fromEntries(
      Object.entries(value).map(([name, text]) => [
        name,
        this.#text(text, `"${printable(name)}" in ${what}`),
      ]),
    );
  }

  #text(value: unknown, what: string): string {
    if (typeof value !== 'string') throw this.#refuse(`has something else than a text for ${what}`);
    const text = substituteVariables(value, this.#variables);
    if (typeof text === 'string') return text;
    throw this.#refuse(
      `names the variable "${text.missing}" for ${what}, and it is not set; set it, or write a default: \${${text.missing}:-…}`,
    );
  }

  get #shown(): string {
    return printable(this.#path);
  }

  #note(note: string): void {
    this.#notes.push(printable(note));
  }

  #refuse(problem: string): UsageError {
    return new UsageError(`${this.#shown} ${problem}.`);
  }
}

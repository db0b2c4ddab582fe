import { McpError, WinkError } from '../../core/error/index.ts';
import type { AnyAgent } from '../../core/evaluation/index.ts';
import { shorten, startOf } from '../../core/internal/index.ts';
import { Redactor } from '../../core/runtime/index.ts';
import { type Logger, silentLogger } from '../../core/tool/index.ts';
import { type McpSection, type McpSectionOptions, openMcpSection } from '../../harness/mcp/index.ts';
import { unlessAborted } from '../process/environment.ts';
import { orUsageError, reasonOf, UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';
import { hostRedact } from '../process/redact.ts';
import { isSecretName } from '../process/secret-names.ts';
import { type NamedSecret, partsOf, secretsOf } from '../process/secrets-of.ts';
import { type NamedMcpServer, readMcpFile } from './mcp-file.ts';

/** The servers of a file, mounted. */
export interface MountedServers {
  /** What the user should know, one line each, without a period. */
  readonly notes: readonly string[];
  /** What is secret in the file, by names that take its place. */
  readonly secrets: readonly NamedSecret[];
  /**
   * The agent with the sections of the servers after its own.
   * @throws {UsageError} when the prompt of the agent has sections or tools of these names.
   */
  addTo(agent: AnyAgent): AnyAgent;
  /** Ends the servers. Never rejects. */
  close(): Promise<void>;
}

/** Options of {@link openMcpServers}. */
export interface McpServersOptions {
  readonly file: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Names of those that the user calls secret. Default: none. */
  readonly secretNames?: readonly string[];
  readonly signal: AbortSignal;
  readonly logger: Logger | undefined;
  /** Opens one. Default: `openMcpSection`. */
  readonly open?: (options: McpSectionOptions) => Promise<McpSection>;
}

/**
 * Starts the servers of a file, all at once, or none.
 *
 * @throws {UsageError} for a file that cannot be used, and for a server that does not start. @throws the reason of the signal.
 */
export async function openMcpServers(options: McpServersOptions): Promise<MountedServers> {
  const { file, logger, open = openMcpSection, secretNames = [], signal, variables } = options;
  const { notes, servers } = readMcpFile(file, variables);
  const places = servers.map((server) => ({ server, ...placeOf(server, file) }));
  for (const [index, { key, server }] of places.entries()) {
    const other = places.slice(0, index).find((each) => each.key === key);
    if (other === undefined) continue;
    const [first, second] = [other.server.name, server.name].map(printable);
    throw new UsageError(
      `the servers "${first}" and "${second}" of ${printable(file)} would have one name; rename one.`,
    );
  }
  const secrets = secretsIn(servers);
  // Servers report before anything else of the run exists.
  const redactor = new Redactor(hostRedact({}, { variables, secretNames }, secrets), () => undefined);
  // What a server that does not start has written is why it does not, in most cases.
  const lastLines = new Map<string, string>();
  const loggerOf = (key: string): Logger =>
    redactedLogger(logger ?? silentLogger, redactor, ({ line }) => {
      if (typeof line === 'string') lastLines.set(key, line);
    });
  const opening = Promise.allSettled(
    places.map(({ key, prefix, server: { name: _name, ...server } }) =>
      open({ title: `Tools of ${key}`, key, prefix, ...server, logger: loggerOf(key) }),
    ),
  );
  const opened = async (): Promise<readonly McpSection[]> =>
    (await opening).flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const close = async (): Promise<void> => {
    await Promise.all((await opened()).map((section) => section[Symbol.asyncDispose]()));
  };
  try {
    const settled = await unlessAborted(opening, signal);
    for (const [index, each] of settled.entries()) {
      if (each.status === 'rejected') {
        const { key = '', server } = places[index] ?? {};
        const name = server?.name ?? '';
        throw startError(each.reason, { name, file, clean: redactor.text, lastLine: lastLines.get(key) });
      }
    }
  } catch (error) {
    void close();
    throw error;
  }
  const sections = await opened();
  return {
    addTo: (agent) => withSections(agent, sections, file),
    notes: [...notes, ...sections.flatMap(skippedNotes).map(redactor.text)],
    secrets,
    close,
  };
}

function withSections(agent: AnyAgent, sections: readonly McpSection[], file: string): AnyAgent {
  return orUsageError(
    () => Object.freeze({ ...agent, template: agent.template['~withSections'](sections) }),
    (error) =>
      `the servers of ${printable(file)} do not go with ${printable(agent.name)}: ${reasonOf(error)}.`,
  );
}

/** The key of the section of a server, and what its tools begin with. */
function placeOf({ name }: NamedMcpServer, file: string): { readonly key: string; readonly prefix: string } {
  const key = startOf(name.toLowerCase().replace(/[^a-z0-9._-]/g, '-'), 64);
  if (!/^[a-z0-9]/.test(key)) {
    throw new UsageError(
      `the name "${printable(name)}" of a server in ${printable(file)} must begin with a letter or a digit.`,
    );
  }
  return { key, prefix: `${startOf(key.replaceAll('.', '_'), 31)}_` };
}

/** A logger whose lines have nothing in them that must not be shown. `onFields` gets what they have beside their message. */
function redactedLogger(
  logger: Logger,
  redactor: Redactor,
  onFields: (fields: Readonly<Record<string, unknown>>) => void,
): Logger {
  const write =
    (level: keyof Logger): Logger['debug'] =>
    (message, fields) => {
      const shown = fields === undefined ? undefined : redactor.fields(fields);
      if (shown !== undefined) onFields(shown);
      logger[level](redactor.text(message), shown);
    };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

/** Most characters of a line of a server in a message. */
const maxLineCharacters = 300;

interface FailedStart {
  readonly name: string;
  readonly file: string;
  readonly clean: (text: string) => string;
  /** The last one that the server has written to its standard error. */
  readonly lastLine: string | undefined;
}

function startError(error: unknown, { name, file, clean, lastLine }: FailedStart): unknown {
  if (!WinkError.isInstance(error)) return error;
  // Their messages begin with the server.
  const what = McpError.isInstance(error) ? '' : `the server "${printable(name)}" cannot be used: `;
  const line = printable(shorten(lastLine ?? '', maxLineCharacters));
  const wrote = line === '' ? '' : ` The last line that it wrote to its standard error: "${line}".`;
  return new UsageError(`${printable(file)}: ${what}${clean(reasonOf(error))}.${wrote}`, { cause: error });
}

function skippedNotes({ key, skippedTools }: McpSection): readonly string[] {
  return skippedTools.map(({ name, reason }) =>
    printable(`the tool "${name}" of the server "${key}" cannot be offered: ${reason.replace(/\.$/, '')}`),
  );
}

/** All headers, with and without the scheme before a token, and what is secret in variables, arguments and addresses. */
function secretsIn(servers: readonly NamedMcpServer[]): readonly NamedSecret[] {
  return servers.flatMap(({ name, server }): readonly NamedSecret[] => {
    if ('command' in server) {
      return [
        ...Object.entries(server.env ?? {}).flatMap(([variable, value]) => secretsOf(variable, value)),
        ...argumentSecrets(name, server.args ?? []),
      ];
    }
    return [
      ...partsOf(name, server.url),
      ...Object.entries(server.headers ?? {}).flatMap(([header, value]) => [
        { name: `${name} ${header}`, text: value },
        { name: `${name} ${header} token`, text: value.slice(value.indexOf(' ') + 1) },
      ]),
    ];
  });
}

/** `--api-key VALUE`, `--token=VALUE`, and the passwords of addresses. */
function argumentSecrets(name: string, args: readonly string[]): readonly NamedSecret[] {
  return args.flatMap((argument, index): readonly NamedSecret[] => {
    const option = args[index - 1] ?? '';
    return option.startsWith('-') && !option.includes('=') && isSecretName(option)
      ? [{ name: `${name} ${option}`, text: argument }]
      : partsOf(name, argument);
  });
}

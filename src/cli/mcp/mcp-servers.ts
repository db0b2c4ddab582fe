import { WinkError } from '../../core/error/index.ts';
import type { AnyAgent } from '../../core/evaluation/index.ts';
import { present, startOf } from '../../core/internal/index.ts';
import type { Logger } from '../../core/tool/index.ts';
import { type McpSection, type McpSectionOptions, openMcpSection } from '../../harness/mcp/index.ts';
import { unlessAborted } from '../process/environment.ts';
import { orUsageError, reasonOf, UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';
import { isSecretName } from '../process/redact.ts';
import { type NamedMcpServer, readMcpFile } from './mcp-file.ts';

/** The servers of a file, mounted. */
export interface MountedServers {
  /** What the user should know, one line each, without a period. */
  readonly notes: readonly string[];
  /** What is secret in the file, by names that take its place. */
  readonly secrets: Readonly<Record<string, string>>;
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
  const { file, logger, open = openMcpSection, signal, variables } = options;
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
  const opening = Promise.allSettled(
    places.map(({ key, prefix, server: { name: _name, ...server } }) =>
      open({ title: `Tools of ${key}`, key, prefix, ...server, ...present({ logger }) }),
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
      if (each.status === 'rejected') throw startError(each.reason, places[index]?.server.name ?? '', file);
    }
  } catch (error) {
    void close();
    throw error;
  }
  const sections = await opened();
  return {
    addTo: (agent) => withSections(agent, sections, file),
    notes: [...notes, ...sections.flatMap(skippedNotes)],
    secrets: secretsOf(servers),
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

function startError(error: unknown, name: string, file: string): unknown {
  if (!WinkError.isInstance(error)) return error;
  const what = `the server "${printable(name)}" of ${printable(file)}`;
  return new UsageError(`${what} cannot be used: ${reasonOf(error)}.`, { cause: error });
}

function skippedNotes({ key, skippedTools }: McpSection): readonly string[] {
  return skippedTools.map(({ name, reason }) =>
    printable(`the tool "${name}" of the server "${key}" cannot be offered: ${reason.replace(/\.$/, '')}`),
  );
}

/** All headers, with and without the scheme before a token, and the variables that are named like secrets. */
function secretsOf(servers: readonly NamedMcpServer[]): Readonly<Record<string, string>> {
  const secrets = servers.flatMap(({ name, server }): readonly (readonly [string, string])[] => {
    if ('command' in server) {
      return Object.entries(server.env ?? {}).filter(([variable]) => isSecretName(variable));
    }
    return Object.entries(server.headers ?? {}).flatMap(([header, value]) => [
      [`${name} ${header}`, value] as const,
      [`${name} ${header} token`, value.slice(value.indexOf(' ') + 1)] as const,
    ]);
  });
  return Object.fromEntries(secrets);
}

import type { JsonValue } from '../../schema/index.ts';
import { type HostedTool, type HostedToolOutput, hostedTool } from '../../tool/index.ts';
import { line, listOf, objectOf, oneOf } from './config-check.ts';
import type { HostedToolTexts } from './make-hosted-tool.ts';
import {
  authorization,
  refuseTwoAuthorizations,
  requestHeaders,
  serverLabel,
  serverUrl,
} from './remote-server.ts';

/** A server of the Model Context Protocol that the provider talks to. */
export type RemoteMcpConfig = {
  /** What it is called in results: 1 to 64 of `a-z`, `0-9`, `_`, `-`. Each server of a prompt has its own. */
  readonly label: string;
  /** `https`, or `http` on the machine itself; without user and password. */
  readonly url: string;
  /** Token that the provider presents to the server. A secret: no record, event, error or log holds it. */
  readonly authorization?: string;
  /** Headers that the provider sends to the server. Their values are secret too. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The tools of the server that the model may use. Default: all. */
  readonly allowedTools?: readonly string[];
  /** Whether each call has to be approved by the `approve` of the evaluation. Default: `'always'`. */
  readonly approval?: 'always' | 'never';
};

/** One call of a tool of the server. */
export interface RemoteMcpResult extends HostedToolOutput {
  /** The label of the server. */
  readonly server: string;
  /** The tool, by the server's name. */
  readonly name: string;
  /** What the model passed; its text where that is no JSON. */
  readonly arguments: JsonValue;
  readonly output?: string;
  /** What went wrong, in the words of the server or the provider. */
  readonly error?: string;
}

const read = objectOf<RemoteMcpConfig>(
  {
    label: serverLabel,
    url: serverUrl,
    authorization,
    headers: requestHeaders,
    allowedTools: listOf(line, 'leave it out to allow every tool, or leave the server out of the prompt'),
    approval: oneOf('always', 'never'),
  },
  ['label', 'url'],
);

/**
 * A hosted tool of the kind `mcp`: the provider calls the tools of a remote server.
 *
 * @param texts `name` is the label by default.
 * @throws {PromptValidationError} for a config, name or description that cannot be used.
 */
export function remoteMcpTool(
  given: RemoteMcpConfig,
  texts: HostedToolTexts = {},
): HostedTool<RemoteMcpConfig, RemoteMcpResult> {
  const place = { tool: texts.name ?? 'mcp', path: '' };
  const config = read(given, place);
  refuseTwoAuthorizations(config, place);
  const { name = config.label, description = `Use the tools of the remote server "${config.label}".` } =
    texts;
  return hostedTool<RemoteMcpConfig, RemoteMcpResult>({ kind: 'mcp', name, description, config });
}

import { matching, oneOf } from '../../core/error/index.ts';
import { isSchemaObject, type JsonObject, type JsonValue } from '../../core/schema/index.ts';
import { type HostedTool, type HostedToolOutput, hostedTool } from '../../core/tool/index.ts';
import {
  assertHostedOptions,
  type ConfigCheck,
  type ConfigPlace,
  type HostedToolOptions,
  line,
  listOf,
  objectOf,
  refuseConfig,
  within,
} from './config-check.ts';

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Addresses can hold passwords and tokens, so no message shows more of one than its protocol and host. */
const serverUrl: ConfigCheck<string> = (value, place) => {
  if (typeof value !== 'string' || !URL.canParse(value)) {
    throw refuseConfig(
      place,
      'must be an address such as "https://example.com/mcp" (the value is not shown)',
    );
  }
  const { protocol, hostname, username, password } = new URL(value);
  if (username !== '' || password !== '') {
    throw refuseConfig(place, 'holds a user or password; pass a token as "authorization" or in "headers"');
  }
  if (protocol === 'https:' || (protocol === 'http:' && loopback.test(hostname))) return value;
  throw refuseConfig(
    place,
    `must begin with "https:" ("http:" only on the machine itself), but it is "${protocol}" at "${hostname}"`,
  );
};

/** One or more characters that a header can carry; the value is never shown. */
const secret: ConfigCheck<string> = (value, place) => {
  if (typeof value === 'string' && /^[\x21-\x7E]([\x20-\x7E]*[\x21-\x7E])?$/.test(value)) return value;
  throw refuseConfig(
    place,
    'must be printable ASCII text on one line, without surrounding whitespace (the value is not shown)',
  );
};

const requestHeaders: ConfigCheck<Readonly<Record<string, string>>> = (value, place) => {
  if (!isSchemaObject(value)) throw refuseConfig(place, 'must be an object of header names and values');
  const entries = Object.entries(value).filter(([, held]) => held !== undefined);
  const names = entries.map(([name]) => name.toLowerCase());
  for (const [index, [name]] of entries.entries()) {
    if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name)) {
      throw refuseConfig(place, `has the header ${JSON.stringify(name)}, which is not a valid header name`);
    }
    if (names.indexOf(name.toLowerCase()) !== index)
      throw refuseConfig(place, `has the header "${name}" twice`);
  }
  return Object.fromEntries(entries.map(([name, held]) => [name, secret(held, within(place, name))]));
};

/** Two tokens for one header leave open which of them counts. */
function refuseTwoAuthorizations(config: JsonObject, place: ConfigPlace): void {
  const { authorization: token, headers } = config;
  if (token === undefined || !isSchemaObject(headers)) return;
  const name = Object.keys(headers).find((header) => header.toLowerCase() === 'authorization');
  if (name === undefined) return;
  throw refuseConfig(place, `has "authorization" and the header "${name}"; keep one of them`);
}

/** A server of the Model Context Protocol that the provider talks to. */
export type HostedMcpConfig = {
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
export interface HostedMcpResult extends HostedToolOutput {
  /** The label of the server. */
  readonly server: string;
  /** The tool, by the server's name. */
  readonly name: string;
  /** The arguments from the model; as text where they are not JSON. */
  readonly arguments: JsonValue;
  readonly output?: string;
  /** The error message of the server or the provider. */
  readonly error?: string;
}

const read = objectOf<HostedMcpConfig>(
  {
    label: matching(/^[a-z0-9_-]{1,64}$/, '1 to 64 lower-case letters, digits, "_" or "-"'),
    url: serverUrl,
    authorization: secret,
    headers: requestHeaders,
    allowedTools: listOf(line, 'leave it out to allow every tool, or leave the server out of the prompt'),
    approval: oneOf(['always', 'never']),
  },
  ['label', 'url'],
);

/**
 * A hosted tool of the kind `mcp`: the provider calls the tools of a remote server.
 *
 * @param options `name` is the label of the config by default.
 * @throws {PromptValidationError} for a config, name or description that cannot be used.
 */
export function hostedMcpTool(
  options: HostedToolOptions<HostedMcpConfig>,
): HostedTool<HostedMcpConfig, HostedMcpResult> {
  assertHostedOptions('hostedMcpTool()', options, read.names);
  const place = { tool: options.name ?? 'mcp', path: '' };
  const config = read(options.config, place);
  refuseTwoAuthorizations(config, place);
  const { name = config.label, description = `Use the tools of the remote server "${config.label}".` } =
    options;
  return hostedTool<HostedMcpConfig, HostedMcpResult>({ kind: 'mcp', name, description, config });
}

import { describe, expect, it } from 'vitest';
import { hostRedact } from '../../../../src/cli/process/redact.ts';

const redact = hostRedact(
  {
    workspace: '/home/ann/work',
    agentFolder: '/opt/agents',
    workingFolder: '/home/ann/work',
    home: '/home/ann',
  },
  {
    variables: {
      OPENAI_API_KEY: 'sk-0123456789',
      DB_PASSWORD: 'hunter2hunter2',
      AWS_BEARER_TOKEN_BEDROCK: 'bearer-0123456789',
      MONKEY: 'ordinary text',
      A_TOKEN: 'short',
      OTEL_EXPORTER_OTLP_HEADERS:
        'api-key=otlp-0123456789, authorization=Basic%20YWJjZGVm==,x-team=blue,broken=%zz%zz%zz',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-key=traces-0123456789',
    },
  },
);

describe('hostRedact', () => {
  it.each([
    ["open '/home/ann/work/a.ts'", "open '<workspace>/a.ts'"],
    ['/home/ann/work', '<workspace>'],
    ['/home/ann/.ssh and /home/ann.', '<home>/.ssh and <home>.'],
    ['/home/ann/workshop/x', '<home>/workshop/x'],
    ['/home/anna/x', '/home/anna/x'],
    ['src/home/ann/work/x', 'src/home/ann/work/x'],
    ['file:///opt/agents/a.ts:1:2', 'file://<agent>/a.ts:1:2'],
    ['key sk-0123456789, sk-0123456789x', 'key <OPENAI_API_KEY>, <OPENAI_API_KEY>x'],
    ['hunter2hunter2', '<DB_PASSWORD>'],
    ['bearer-0123456789', '<AWS_BEARER_TOKEN_BEDROCK>'],
    ['otlp-0123456789', '<OTEL_EXPORTER_OTLP_HEADERS api-key>'],
    ['sent Basic YWJjZGVm==', 'sent <OTEL_EXPORTER_OTLP_HEADERS authorization>'],
    ['set Basic%20YWJjZGVm==', 'set <OTEL_EXPORTER_OTLP_HEADERS authorization>'],
    ['traces-0123456789 blue', '<OTEL_EXPORTER_OTLP_TRACES_HEADERS x-key> blue'],
    ['ordinary text that is short', 'ordinary text that is short'],
    ['', ''],
  ])('makes %j to %j', (text, clean) => {
    expect(redact(text)).toBe(clean);
  });

  it.each([
    ['so far so good: ', 0],
    ['the key is sk-01', 5],
    ['open /home/ann', 9],
    ['open /home/ann/work', 14],
    ['open /home/anna: ', 0],
  ])('says of %j what has to wait', (text, pending) => {
    expect(redact.pending?.(text)).toBe(pending);
  });

  it('leaves everything alone where the root of the host is the workspace', () => {
    const root = { workspace: '/', agentFolder: undefined, workingFolder: '/', home: undefined };
    expect(hostRedact(root, { variables: {} })('/a/b')).toBe('/a/b');
  });
});

import {
  type AnyTool,
  type JsonSchema,
  jsonSchema,
  type MediaPart,
  PolicyDecision,
  type Prompt,
  promptTemplate,
  section,
  ToolResult,
  tool,
  VisibilityExpansionRequired,
} from 'weakincentives';

/** One black pixel. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';
/** No samples. */
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** As the suite wants it: it looks whether each of the keywords reaches the client. */
const schema2020: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: It is a keyword of JSON Schema.
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

const says = (name: string, text: string): AnyTool =>
  tool({ name, description: text, effects: 'read', execute: () => ToolResult.ok(null, text) });

const shows = (name: string, text: string, attachments: readonly MediaPart[]): AnyTool =>
  tool({
    name,
    description: text,
    effects: 'read',
    execute: () => ToolResult.ok(null, text, { attachments }),
  });

/** What the official conformance suite calls, as ordinary tools: it tests what becomes of them on the way. */
export function conformancePrompt(): Prompt<undefined> {
  let opened = 0;
  const image = { type: 'image', mediaType: 'image/png', data: png } as const;
  const file = (name: string, mediaType: string, text: string) =>
    ({ type: 'file', name, mediaType, data: base64(text) }) as const;
  const plain: readonly AnyTool[] = [
    says('test_simple_text', 'This is a simple text response for testing.'),
    shows('test_image_content', 'An image.', [image]),
    shows('test_audio_content', 'A sound.', [{ type: 'file', mediaType: 'audio/wav', data: wav }]),
    shows('test_embedded_resource', 'A file.', [
      file('embedded.txt', 'text/plain', 'This is an embedded resource content.'),
    ]),
    shows('test_multiple_content_types', 'Multiple content types test:', [
      image,
      file('mixed.json', 'application/json', '{"test":"data","value":123}'),
    ]),
    tool({
      name: 'test_error_handling',
      description: 'Fails.',
      effects: 'state',
      execute: () => {
        throw new Error('This tool intentionally returns an error for testing');
      },
    }),
    tool({
      name: 'test_tool_with_progress',
      description: 'Reports progress.',
      effects: 'read',
      execute: (_params, { progress }) => {
        for (const message of ['0 %', '50 %', '100 %']) progress({ message });
        return ToolResult.ok(null, 'Done.');
      },
    }),
    tool({
      name: 'json_schema_2020_12_tool',
      description: 'Has a schema with many keywords.',
      inputSchema: jsonSchema<object>(schema2020),
      effects: 'read',
      execute: () => ToolResult.ok(null, 'Fits.'),
    }),
    tool({
      name: 'test_trigger_tool_change',
      description: 'Opens a section with another tool, each time another one.',
      effects: 'state',
      execute: () => {
        opened += 1;
        throw new VisibilityExpansionRequired([`more-${opened}`], 'The suite wants it.');
      },
    }),
    says('test_logging_tool', 'This tool logs nothing.'),
  ];
  const asking = [
    'test_elicitation',
    'test_streaming_elicitation',
    'test_input_required_result_elicitation',
    'test_input_required_result_request_state',
    'test_input_required_result_tampered_state',
    'test_input_required_result_capabilities',
    'test_input_required_result_multi_round',
  ].map((name) =>
    tool({
      name,
      description: 'Is asked about.',
      inputSchema: jsonSchema<object>({ type: 'object', properties: { message: { type: 'string' } } }),
      effects: 'state',
      execute: () => ToolResult.ok(null, 'It was approved.'),
    }),
  );
  return promptTemplate({
    ns: 'test',
    key: 'conformance',
    sections: [
      section({ title: 'Plain', key: 'plain', template: 'Call these.', tools: plain }),
      section({
        title: 'Asking',
        key: 'asking',
        template: 'Call these when you may.',
        tools: asking,
        policies: [{ name: 'ask-first', check: () => PolicyDecision.ask('May it?') }],
      }),
      ...[1, 2, 3].map((number) =>
        section({
          title: `More ${number}`,
          key: `more-${number}`,
          template: 'More tools.',
          summary: 'There are more tools.',
          visibility: 'summary',
          tools: [says(`test_extra_${number}`, 'Extra.')],
        }),
      ),
    ],
  }).bind();
}

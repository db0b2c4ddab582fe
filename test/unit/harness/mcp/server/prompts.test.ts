import { expect, test } from 'vitest';
import { promptTemplate, section } from 'weakincentives';
import { z } from 'zod';
import { connectionName, connections, connectServer } from '../../../../support/mcp/clients.ts';

const review = promptTemplate({
  ns: 'test',
  key: 'review',
  sections: [
    section({
      title: 'Task',
      key: 'task',
      params: z.object({
        language: z.string().describe('Language of the report.'),
        depth: z.number().int().min(1).default(2).describe('How deep to look.'),
        strict: z.boolean().optional(),
      }),
      template: (params) => `Report in ${params.language}, depth ${params.depth}, strict ${params.strict}.`,
      children: [
        section({
          title: 'Tone',
          key: 'tone',
          params: z.object({ tone: z.enum(['dry', 'warm']) }),
          template: (params) => `Be ${params.tone}.`,
        }),
      ],
    }),
    section({ title: 'Plain', key: 'plain', template: 'Without params.' }),
    section({
      title: 'Off',
      key: 'off',
      params: z.object({ other: z.string().optional() }),
      template: 'Off.',
      enabled: () => false,
    }),
    {
      title: 'Broken',
      key: 'broken',
      params: z.object({ mode: z.string().optional() }),
      render: ({ mode }: { readonly mode?: string | undefined }) => {
        if (mode === 'throws') throw new Error('secret of the host');
        return `Mode ${mode}.`;
      },
    },
  ],
}).bind({ language: 'English', tone: 'dry' });

for (const connection of connections) {
  test(`${connectionName(connection)}: sections with params are prompts, which a person fills in`, async () => {
    await using served = await connectServer(review, connection, { prompts: true });
    const { client } = served;
    expect((await client.listPrompts()).prompts).toMatchObject([
      {
        name: 'task',
        title: 'Task',
        arguments: [
          { name: 'language', description: 'Language of the report.', required: false },
          { name: 'depth', description: 'How deep to look.', required: false },
          { name: 'strict', required: false },
          { name: 'tone', required: false },
        ],
      },
      { name: 'task.tone', title: 'Tone', arguments: [{ name: 'tone' }] },
      { name: 'broken', title: 'Broken' },
    ]);
    const text = async (name: string, args: Record<string, string> = {}): Promise<string> => {
      const { messages } = await client.getPrompt({ name, arguments: args });
      expect(messages).toMatchObject([{ role: 'user', content: { type: 'text' } }]);
      const [message] = messages;
      return message?.content.type === 'text' ? message.content.text : '';
    };
    expect(await text('task', { language: 'German', depth: '3', strict: 'true', tone: 'warm' })).toMatch(
      /Task[^]*Report in German, depth 3, strict true\.[^]*Tone[^]*Be warm\.$/,
    );
    // What is left out is what is served.
    expect(await text('task')).toMatch(/Report in English, depth 2,[^]*Be dry\./);
    expect(await text('task.tone', { tone: 'warm' })).not.toContain('Report');
    const refused = (name: string, args: Record<string, string>, message: string | RegExp) =>
      expect(client.getPrompt({ name, arguments: args })).rejects.toMatchObject({
        code: -32_602,
        message: expect.stringMatching(message),
      });
    await refused('task', { depth: 'deep' }, /section "task".*depth/);
    await refused('task', { depth: '0' }, /depth/);
    await refused('task', { tone: 'loud' }, /tone/);
    await refused('task', { mode: 'x' }, 'has no "mode". Its arguments are: ');
    await refused('plain', {}, 'There is no prompt "plain". The prompts are: ');
    await refused('off', {}, 'There is no prompt "off".');
    await expect(client.getPrompt({ name: 'broken', arguments: { mode: 'throws' } })).rejects.toMatchObject({
      code: -32_603,
      message: expect.not.stringContaining('secret'),
    });
    expect(await text('broken', { mode: '' })).toContain('Mode .');
  });
}

test('a summarized section is a prompt, too, and a param that the prompt was bound without is required', async () => {
  const [connection] = connections;
  if (connection === undefined) throw new Error('There is no connection.');
  const template = promptTemplate({
    ns: 'test',
    key: 'summarized',
    sections: [
      section({
        title: 'More',
        key: 'more',
        template: 'More.',
        summary: 'There is more.',
        visibility: 'summary',
        children: [
          section({
            title: 'Later',
            key: 'later',
            params: z.object({ topic: z.string().optional(), style: z.string() }),
            template: (params) => `About ${params.topic}, ${params.style}.`,
          }),
        ],
      }),
    ],
  });
  for (const isBound of [true, false]) {
    // A program that is not typed may leave it out, and the summary above the section is shown without it.
    const prompt = template.bind(JSON.parse(isBound ? '{"style":"short"}' : '{}'));
    await using served = await connectServer(prompt, connection, { prompts: true });
    const { prompts } = await served.client.listPrompts();
    expect(prompts).toMatchObject([
      {
        name: 'more.later',
        arguments: [
          { name: 'topic', required: false },
          { name: 'style', required: !isBound },
        ],
      },
    ]);
    const { messages } = await served.client.getPrompt({
      name: 'more.later',
      arguments: { topic: 'coffee', style: 'long' },
    });
    expect(messages).toMatchObject([{ content: { text: expect.stringContaining('About coffee, long.') } }]);
  }
});

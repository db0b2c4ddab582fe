import { expect, it } from 'vitest';
import { promptTemplate, section } from 'weakincentives';
import { hostedMcpTool, webSearchSection } from 'weakincentives/tools';
import { promptDocument } from '../../../../src/cli/prompt/prompt-command.ts';

it('tells of hosted tools without their configs', async () => {
  const wiki = hostedMcpTool({
    config: {
      label: 'wiki',
      url: 'https://wiki.example/mcp',
      authorization: 'hidden-token',
    },
  });
  const rendered = await promptTemplate({
    ns: 'test',
    key: 'document',
    sections: [
      webSearchSection({ config: { geoHint: { city: 'Leeds' } } }),
      section({ title: 'Wiki', key: 'wiki', template: 'Read the wiki.', hostedTools: [wiki] }),
    ],
  })
    .bind()
    .render();
  const document = promptDocument(rendered);
  expect(document).toMatch(/^## 1\. Web Search \(web_search\)\n/);
  expect(document.slice(document.indexOf('# Tools'))).toBe(
    [
      '# Tools',
      '',
      '## web_search',
      '',
      'Search the web for current information and cite sources.',
      '',
      'Run by the provider, as `web_search`.',
      '',
      '## wiki',
      '',
      'Use the tools of the remote server "wiki".',
      '',
      'Run by the provider, as `mcp`.',
      '',
    ].join('\n'),
  );
  expect(document).not.toMatch(/hidden-token|wiki\.example|Leeds/);
});

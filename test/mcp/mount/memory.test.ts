import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { promptTemplate, section, sequentialDependencyPolicy } from 'weakincentives';
import { openMcpSection } from 'weakincentives/mcp';
import { scriptedAdapter } from 'weakincentives/testing';
import { runtimeOf } from '../../support/mcp/memory-server.ts';
import { childOf } from './peers.ts';

describe('server-memory', () => {
  it('keeps what a model writes, under a rule about the order of its tools', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'memory-')), 'memory.json');
    await using mounted = await openMcpSection({
      title: 'Memory',
      key: 'memory',
      server: childOf('server-memory', [], { MEMORY_FILE_PATH: file }),
      effects: { read_graph: 'read', search_nodes: 'read' },
      include: ['read_graph', 'search_nodes', 'create_*'],
      policies: [sequentialDependencyPolicy({ dependencies: { create_entities: ['read_graph'] } })],
    });
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['wrote programs'] }];
    const adapter = scriptedAdapter([
      { toolCalls: [{ name: 'create_entities', arguments: { entities } }] },
      { toolCalls: [{ name: 'read_graph' }] },
      { toolCalls: [{ name: 'create_entities', arguments: { entities } }] },
      { toolCalls: [{ name: 'search_nodes', arguments: { query: 'Ada' } }] },
      { text: 'Done.' },
    ]);
    const task = section({ title: 'Task', key: 'task', template: 'Remember Ada.' });
    const prompt = promptTemplate({ ns: 'test', key: 'memory', sections: [task, mounted] }).bind();
    const { conversation } = await adapter.evaluate(prompt);
    const results = conversation.filter((item) => item.type === 'tool-result');
    expect(results.map(({ isError }) => isError)).toEqual([true, false, false, false]);
    expect(results[0]?.text).toContain('read_graph');
    expect(results[3]?.text).toContain('wrote programs');
    expect(readFileSync(file, 'utf8')).toContain('"Ada"');
  });

  it('pinned, is opened again as long as it offers the same', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'memory-')), 'memory.json');
    const options = {
      title: 'Memory',
      key: 'memory',
      server: childOf('server-memory', [], { MEMORY_FILE_PATH: file }),
    };
    let pin: string;
    {
      await using first = await openMcpSection(options);
      pin = first.pin;
    }
    await using second = await openMcpSection({ ...options, pin });
    await using runtime = await runtimeOf(second);
    expect((await runtime.call('read_graph')).isError).toBe(false);
    expect(existsSync(file)).toBe(false);
    await expect(openMcpSection({ ...options, pin, include: ['read_graph'] })).rejects.toMatchObject({
      code: 'mcp-pin-mismatched',
    });
  });
});

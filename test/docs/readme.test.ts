import { describe, expect, it } from 'vitest';
import { readDocument } from './documents.ts';

const { text } = readDocument('README.md');
const lines = text.trimEnd().split('\n');
/** The table that a program writes, and what fits into no line: other tables and addresses of images. */
const isWide = (line: string): boolean => line.startsWith('|');

describe('README.md', () => {
  it('has 200 lines at most, of 100 characters', () => {
    expect(lines.length).toBeLessThanOrEqual(200);
    expect(lines.filter((line) => line.length > 100 && !isWide(line))).toEqual([]);
  });

  it('shows on a first screen of 80 columns and 40 lines what it is, how to set it up and an agent', () => {
    const last = lines.findIndex((line) => line.includes('npx wink view last'));
    expect(last).toBeGreaterThan(0);
    expect(last).toBeLessThan(40);
    const screen = lines.slice(0, last + 1);
    expect(screen.filter((line) => line.length > 80)).toEqual([]);
    for (const shown of ['npm install weakincentives zod', 'runAgent(agent', 'npx wink run'])
      expect(screen.join('\n')).toContain(shown);
    // Nothing of it is folded away, in a picture or from another place.
    expect(screen.join('\n')).not.toMatch(/<details|!\[|https?:/);
  });

  it('names the version of the package, and what it supports', () => {
    const manifest: { version: string } = JSON.parse(readDocument('package.json').text);
    expect(lines[2]).toContain(`${manifest.version} · Node 20.19, 22, 24 · TypeScript 5.6 to 7`);
  });

  it('leaves out words that say nothing', () => {
    expect(text).not.toMatch(/powerful|seamless|production-ready/i);
    expect(text.match(/unattended/gi)?.length ?? 0).toBeLessThanOrEqual(1);
  });
});

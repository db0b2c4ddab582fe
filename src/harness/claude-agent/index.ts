export { claudeAgent } from './claude-agent.ts';

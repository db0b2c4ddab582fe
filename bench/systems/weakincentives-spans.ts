import { countingAgent } from './counting-agent.ts';
import { runSystem } from './run-system.ts';
import { tracer } from './span-tracer.ts';

/** What three spans take, with some attributes and without a parent. */
function makeSpans(): void {
  for (const name of ['step', 'chat', 'execute_tool']) {
    const span = tracer.startSpan(name, { attributes: { operation: name, agent: 'counting' } });
    span.setAttributes({ first: 1, second: 'two', third: ['three'] });
    span.end();
  }
}

/** Without an observer, and with as many spans as telemetry has, made by hand: the least that spans can take. */
await runSystem((stage) => {
  const ask = stage.ask.bind(stage);
  stage.ask = () => {
    makeSpans();
    return ask();
  };
  return countingAgent(stage);
});

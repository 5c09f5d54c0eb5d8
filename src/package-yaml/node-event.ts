import { EVENT_ID, type DocumentEvent, type Event, type PopEvent } from 'js-yaml';

/** An event at which a node begins. */
export type NodeEvent = Exclude<Event, DocumentEvent | PopEvent>;

/** Where a node begins in the text. */
export function offsetOf(event: NodeEvent): number {
  if (event.type === EVENT_ID.ALIAS) return event.anchorStart;
  return Math.max(0, event.type === EVENT_ID.SCALAR ? event.valueStart : event.start);
}

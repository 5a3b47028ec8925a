/** One part of the measurements. */
export interface Part {
  title: string;
  measure(): Promise<Findings>;
}

/** The findings of a part. Numbers are kept as measured, and rounded when they are shown. */
export interface Findings {
  goals: Goal[];
  /** The headings of the table's columns, with their units. */
  columns: string[];
  rows: (string | number)[][];
  /** How it was measured, in sentences. */
  notes: string;
}

/** A goal, with `atMost` or `atLeast`, and what was measured. */
export interface Goal {
  name: string;
  measured: number;
  atMost?: number;
  atLeast?: number;
}

/** The findings of one part. Numbers are kept as measured, and rounded when they are shown. */
export interface Findings {
  /** The headings of the table's columns, with their units. */
  columns: string[];
  rows: (string | number)[][];
  /** The contestants that no other can beat: they show the cost of the platform itself. */
  limits?: string[];
  /** The goals and their measured values. */
  goals?: Goal[];
  /** More detailed figures for charts, which are not shown. */
  points?: Record<string, string | number>[];
  /** How the part was measured, in sentences. */
  notes: string[];
}

/** The findings of a part, with the place and date. Each part has its own file, so that it can be run again alone. */
export interface Result extends Findings {
  name: string;
  title: string;
  date: string;
  node: string;
  machine: string;
}

export interface Goal {
  /** What is measured, such as "a call ÷ bare fetch". */
  name: string;
  measured: number;
  atMost?: number;
  atLeast?: number;
}

/** One measurement of the project, in its own file below `parts/`, which exports it as `part`. */
export interface Part {
  /** The name of its file and of its results. */
  name: string;
  title: string;
  /** Resolves to undefined, after printing a line about it, if something that the part needs is missing. */
  run(): Promise<Findings | undefined>;
}

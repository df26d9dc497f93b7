//! The first picture: what each strategy costs against what it keeps in view.
//!
//! Left is cheaper, up forgets less. A full mark is the cost after repairs, the hollow one at the other end of its line
//! the cost without them: a long line is a strategy that looks cheap until it has forgotten something.

use super::{
    axis::{Axis, AxisScale, Size},
    html::{escape, put},
    labels::{Area, LINE_HEIGHT, Labels},
    look,
};
use crate::report::{
    numbers,
    summary::{Group, LOOKBACK, Quartiles, StrategySummary},
};

struct Point<'a> {
    name: &'a str,
    repaired: Quartiles,
    cost: Quartiles,
    recall: Quartiles,
}

/// None where nothing can be drawn.
pub(super) fn render(group: &Group, size: Size) -> Option<String> {
    let mut points: Vec<Point<'_>> = group.strategies.iter().filter_map(point).collect();
    if points.is_empty() {
        return None;
    }
    // Whoever is placed last lies on top; whoever is named first gets the best place.
    points.sort_by_key(|point| point.name == LOOKBACK);
    let (x, y) = axes(&points, size);
    let mut svg = String::new();
    draw_frame(&mut svg, &x, &y, size);
    let mut labels = Labels::new(Area { left: x.start, top: y.end, right: x.end, bottom: y.start });
    for point in &points {
        labels.take(Area::around(x.place(point.repaired.median), y.place(point.recall.median), 7.0));
        labels.take(Area::around(x.place(point.cost.median), y.place(point.recall.median), 4.0));
        for spread in spreads(point, &x, &y) {
            labels.take(spread);
        }
    }
    for point in &points {
        draw_point(&mut svg, point, &x, &y);
    }
    draw_names(&mut svg, &points, &mut labels, &x, &y);
    let height = y.start + 46.0;
    Some(size.picture(height, &in_words(&points), &svg))
}

/// Where a point's thin lines lie.
fn spreads(point: &Point<'_>, x: &Axis, y: &Axis) -> [Area; 2] {
    let Point { repaired, recall, .. } = point;
    let (at_x, at_y) = (x.place(repaired.median), y.place(recall.median));
    [
        Area { left: x.place(repaired.low), right: x.place(repaired.high), top: at_y - 1.0, bottom: at_y + 1.0 },
        Area { left: at_x - 1.0, right: at_x + 1.0, top: y.place(recall.high), bottom: y.place(recall.low) },
    ]
}

fn point(strategy: &StrategySummary) -> Option<Point<'_>> {
    Some(Point {
        name: &strategy.name,
        repaired: strategy.repaired_vs_append?,
        cost: strategy.vs_append?,
        recall: strategy.recall?,
    })
}

fn axes(points: &[Point<'_>], size: Size) -> (Axis, Axis) {
    let costs = || points.iter().flat_map(|point| [point.repaired.low, point.repaired.high, point.cost.median]);
    let cheapest = costs().fold(1.0, f64::min);
    let dearest = costs().fold(1.0, f64::max);
    // A strategy that breaks the cache at every step costs several times append; the others must stay apart even so.
    let (low, high, scale) = match dearest > 2.2 && cheapest > 0.0 {
        true => (cheapest * 0.88, dearest * 1.12, AxisScale::Factors),
        false => {
            let margin = 0.05 * (dearest - cheapest).max(0.2);
            ((cheapest - margin).max(0.0), dearest + margin, AxisScale::Even)
        }
    };
    let (left, bottom) = match size {
        Size::Desk => (58.0, 380.0),
        // As wide as "100.0%".
        Size::Phone => (56.0, 330.0),
    };
    let x = Axis { low, high, start: left, end: size.width() - 14.0, scale };
    let worst = points.iter().map(|point| point.recall.low).fold(1.0, f64::min);
    let floor = (1.0 - 1.1 * (1.0 - worst).max(0.02)).max(0.0);
    // Room above one for marks and their names.
    let y = Axis { low: floor, high: 1.0 + 0.12 * (1.0 - floor), start: bottom, end: 10.0, scale: AxisScale::Even };
    (x, y)
}

fn draw_frame(svg: &mut String, x: &Axis, y: &Axis, size: Size) {
    let most = if size == Size::Desk { 10 } else { 5 };
    for tick in x.ticks(most) {
        let at = x.place(tick);
        let class = if tick == 1.0 { "grid one" } else { "grid" };
        put!(
            svg,
            "<line class=\"{class}\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{:.1}\" y2=\"{:.1}\"/><text class=\"tick\" x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{tick:.1}</text>\n",
            y.end,
            y.start,
            y.start + 16.0
        );
    }
    for tick in y.ticks(7).into_iter().filter(|tick| *tick <= 1.0 + 1e-9) {
        let digits = if y.high - y.low < 0.08 { 1 } else { 0 };
        x.draw_level(svg, y.place(tick), &format!("{:.digits$}%", tick * 100.0));
    }
    let factors = if x.scale == AxisScale::Factors { " (equal factors equally far apart)" } else { "" };
    let title = match size {
        Size::Desk => format!("← cheaper · cost, append = 1{factors} · dearer →"),
        Size::Phone => "← cheaper · cost, append = 1 · dearer →".to_owned(),
    };
    x.draw_title(svg, y.start + 37.0, &title);
}

fn draw_point(svg: &mut String, point: &Point<'_>, x: &Axis, y: &Axis) {
    let Point { name, repaired, cost, recall } = point;
    let (at_x, at_y, before) = (x.place(repaired.median), y.place(recall.median), x.place(cost.median));
    let tip = format!(
        "{name}: {} of append after repairs (half of the sessions {}–{}), {} without repairs; {} in view ({}–{})",
        numbers::ratio(repaired.median),
        numbers::ratio(repaired.low),
        numbers::ratio(repaired.high),
        numbers::ratio(cost.median),
        numbers::percent(recall.median),
        numbers::percent(recall.low),
        numbers::percent(recall.high),
    );
    let tip = escape(&tip);
    put!(
        svg,
        "<g class=\"point {}\" data-tip=\"{tip}\" tabindex=\"0\"><title>{tip}</title><line class=\"repair\" x1=\"{before:.1}\" x2=\"{at_x:.1}\" y1=\"{at_y:.1}\" y2=\"{at_y:.1}\"/><line class=\"spread\" x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{at_y:.1}\" y2=\"{at_y:.1}\"/><line class=\"spread\" x1=\"{at_x:.1}\" x2=\"{at_x:.1}\" y1=\"{:.1}\" y2=\"{:.1}\"/><g class=\"hollow\">{}</g><g class=\"full\">{}</g></g>\n",
        look::class(name),
        x.place(repaired.low),
        x.place(repaired.high),
        y.place(recall.low),
        y.place(recall.high),
        look::shape(name, before, at_y, 4.0),
        look::shape(name, at_x, at_y, 7.0)
    );
}

/// Marks on one spot share a block of names.
fn draw_names(svg: &mut String, points: &[Point<'_>], labels: &mut Labels, x: &Axis, y: &Axis) {
    let mut spots: Vec<(f64, f64, Vec<&str>)> = Vec::new();
    for point in points {
        let (across, down) = (x.place(point.repaired.median), y.place(point.recall.median));
        let near = |spot: &&mut (f64, f64, Vec<&str>)| (spot.0 - across).abs() < 5.0 && (spot.1 - down).abs() < 5.0;
        match spots.iter_mut().find(near) {
            Some((_, _, names)) => names.push(point.name),
            None => spots.push((across, down, vec![point.name])),
        }
    }
    // Blocks are hardest to place, and `lookback`, the last of the points, deserves the best place among the others.
    spots.reverse();
    spots.sort_by_key(|(_, _, names)| std::cmp::Reverse(names.len()));
    let mut texts = String::new();
    for (across, down, names) in spots {
        let placed = labels.place(across, down, &names);
        if placed.far {
            let (x, y) = (placed.x, placed.y);
            put!(svg, "<line class=\"leader\" x1=\"{across:.1}\" y1=\"{down:.1}\" x2=\"{x:.1}\" y2=\"{y:.1}\"/>");
        }
        for (line, name) in names.into_iter().enumerate() {
            let strong = if name == LOOKBACK { " strong" } else { "" };
            put!(
                texts,
                "<text class=\"name{strong}\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{}\" dy=\".35em\">{}</text>\n",
                placed.x,
                placed.y + LINE_HEIGHT * line as f64,
                placed.anchor,
                escape(name)
            );
        }
    }
    // Above every line that leads to a name.
    svg.push_str(&texts);
}

fn in_words(points: &[Point<'_>]) -> String {
    let each = points.iter().map(|point| {
        let Point { name, repaired, recall, .. } = point;
        format!("{name} {} at {}", numbers::ratio(repaired.median), numbers::percent(recall.median))
    });
    format!("Cost after repairs, append being 1, and recall. {}.", each.collect::<Vec<_>>().join(", "))
}
